/** The other process of database.test.ts: renames a user again and again, and sends each name once it is committed. */
import { openDatabase } from '../../src/database/database.ts';

const db = await openDatabase(process.argv[2]!);
for (let count = 1; count <= 300; count += 1) {
  await db.query
    .updateTable('users')
    .set({ name: String(count) })
    .where('id', '=', 1)
    .execute();
  process.send!(count);
}
await db.close();
process.disconnect();
