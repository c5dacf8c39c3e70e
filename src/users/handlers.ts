/** What the user operations do. One export per operation, named by its operationId. */
import { type Context, type Handler, refuse } from '../api/handler.ts';
import { showsUser } from '../hxl/store.ts';
import * as access from './store.ts';

export const getUser: Handler<'getUser'> = async ({ path: { id } }, context) => {
  const { db, url } = context;
  const user = (await mayRead(id, context)) ? await access.findUser(db, id) : undefined;
  if (!user) return refuse(404, `User ${id} does not exist.`);
  const { name, role } = user;
  return { status: 200, body: { id, url: url(`/api/v3/users/${id}`), name, role, allowed_privileges: ['read'] } };
};

/** Users are shown to themselves, to those who manage users, and to those who see metadata of theirs. */
async function mayRead(id: number, { db, caller }: Context): Promise<boolean> {
  return id === caller.id || caller.may('users:manage') || showsUser(db, id, caller);
}
