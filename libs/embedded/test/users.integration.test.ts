import { chmodSync, chownSync, cpSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagedPostgres, runnablePostgres } from '../src/native.js';
import { family, ownerOf, query, redis, temporary } from './stack.js';

const NOBODY = { uid: 65534, gid: 65534 };

if (process.getuid?.() !== 0) {
  test('a plain user runs the packaged PostgreSQL where it is', async () => {
    expect(await runnablePostgres({})).toBe(packagedPostgres().folder);
  });
} else {
  test('where the unprivileged user cannot enter, root keeps one copy that it can run, and uses it again', async () => {
    const { dir, remove } = temporary();
    try {
      // A clone under /root, made under umask 077: nobody else may enter or run anything.
      const packaged = packagedPostgres();
      const hidden = { folder: join(dir, 'hidden', 'native'), name: packaged.name };
      cpSync(packaged.folder, hidden.folder, { recursive: true, verbatimSymlinks: true });
      chmodSync(join(hidden.folder, 'bin', 'postgres'), 0o700);
      chmodSync(join(hidden.folder, 'lib'), 0o700);
      const cache = join(dir, 'cache');
      chmodSync(dir, 0o711);
      chmodSync(join(dir, 'hidden'), 0o700);
      const folders = await Promise.all([1, 2].map(() => runnablePostgres(NOBODY, hidden, cache)));
      expect(folders).toEqual([join(cache, packaged.name), join(cache, packaged.name)]);
      const madeAt = statSync(folders[0] ?? '').ctimeMs;
      expect(await runnablePostgres(NOBODY, hidden, cache)).toBe(folders[0]);
      expect(statSync(folders[0] ?? '').ctimeMs).toBe(madeAt);
      // A copy that somebody else may change is not run.
      chmodSync(folders[0] ?? '', 0o777);
      await expect(runnablePostgres(NOBODY, hidden, cache)).rejects.toMatchObject({ code: 'program-missing' });
    } finally {
      remove();
    }
  });

  test('a plain user has the same stack, all of it its own', async () => {
    const { dir, remove } = temporary();
    try {
      const own = join(dir, 'own');
      mkdirSync(own, { mode: 0o700 });
      chownSync(own, NOBODY.uid, NOBODY.gid);
      chmodSync(dir, 0o711);
      const owner = await ownerOf(join(own, 'data'), NOBODY);
      expect(await query(owner.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
      expect(await redis(owner.redisPath, 'PING')).toBe('+PONG');
      for (const pid of owner.pids.flatMap((server) => family(server))) {
        expect(statSync(`/proc/${pid}`).uid).toBe(NOBODY.uid);
      }
      expect(statSync(join(own, 'data')).mode & 0o777).toBe(0o700);
      await owner.kill();
    } finally {
      remove();
    }
  });
}
