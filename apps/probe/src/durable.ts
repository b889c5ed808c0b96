import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file so that after a crash either the old or the new text is there, and the new one once this returned. Mode 0600. */
export function writeDurably(file: string, text: string): void {
  const other = `${file}.new`;
  const descriptor = openSync(other, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(other, file);
  syncFolder(dirname(file));
}

/** Makes names that were made or moved in a folder last. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes files and folders last, one after the other, without holding anybody up. What is gone by then need not last. */
export async function syncAll(places: readonly string[]): Promise<void> {
  for (const place of places) {
    try {
      const handle = await open(place, 'r');
      await handle.sync().finally(() => handle.close());
    } catch {
      // Removed meanwhile, or a full or broken disk: the next write that matters says so.
    }
  }
}
