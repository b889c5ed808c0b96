import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { labNameFor, labPlaceFor } from './lab-name.js';

/**
 * Takes down the lab that a killed demonstration of this data folder left: the kernel ends processes, but not namespaces.
 * Costs nothing when there is none.
 * @throws {Error} the lab's own, with a sentence
 */
export async function removeLeftLab(dataDir: string): Promise<boolean> {
  const name = labNameFor(dataDir);
  const namespaces = await readdir('/run/netns').catch((): string[] => []);
  const states = await readdir(join(dataDir, 'lab')).catch((): string[] => []);
  if (!namespaces.some((n) => n.startsWith(`plumb-${name}-`)) && !states.includes(name)) return false;
  const { labDown } = await import('@plumbline/lab');
  return labDown(name, labPlaceFor(dataDir));
}
