/** What the user operations do. One export per operation, named by its operationId. */
import { type Handler, refuse } from '../api/handler.ts';
import * as access from './store.ts';

export const getUser: Handler<'getUser'> = async ({ path }, { db, url }) => {
  const user = await access.findUser(db, path.id);
  if (!user) return refuse(404, `User ${path.id} does not exist.`);
  return { status: 200, body: { ...user, url: url(`/api/v3/users/${user.id}`), allowed_privileges: ['read'] } };
};
