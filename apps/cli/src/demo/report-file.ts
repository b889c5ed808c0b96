import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Keeps a report in the data folder.
 * @returns its file, and the one that always holds the latest
 */
export async function writeReport(dataDir: string, html: string, now: Date): Promise<{ file: string; latest: string }> {
  const folder = join(dataDir, 'reports');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `demo-${now.toISOString().slice(0, 19).replaceAll(':', '')}Z.html`);
  await writeFile(file, html);
  const latest = join(folder, 'latest.html');
  await copyFile(file, `${latest}.new`);
  await rename(`${latest}.new`, latest);
  return { file, latest };
}
