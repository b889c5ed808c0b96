import type { End, SocketSample } from '@plumbline/model';
import { z } from 'zod';
import { parseSs } from './parse.js';

/** One line of a samples artifact: what ss printed, and when. */
const Line = z.object({ elapsedMs: z.number().nonnegative().max(Number.MAX_SAFE_INTEGER), text: z.string() });

/**
 * Reads the samples of one end as they are stored: one JSON object a line, `{"elapsedMs":250,"text":"ESTAB ..."}`.
 * A line that is cut (the probe died while it wrote) is left out and noted.
 */
export function parseSampleArtifact(jsonLines: string, end: End): { samples: SocketSample[]; notes: string[] } {
  const samples: SocketSample[] = [];
  const notes: string[] = [];
  for (const [index, text] of jsonLines.split('\n').entries()) {
    if (text.trim() === '') continue;
    const line = Line.safeParse(jsonOf(text));
    if (!line.success) {
      notes.push(`samples: line ${index + 1} could not be read`);
      continue;
    }
    const read = parseSs(line.data.text, end, line.data.elapsedMs);
    samples.push(...read.samples);
    notes.push(...read.notes);
  }
  return { samples, notes: [...new Set(notes)] };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
