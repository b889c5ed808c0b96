import type { Segment, SegmentsRead } from './segment.js';

const LINE =
  /^(\d+\.\d+) (?:\S+ +(?:In|Out|B|M|P) +)?IP6? (\S+)\.(\d+) > (\S+)\.(\d+): Flags \[([^\]]*)\](.*?), length (\d+)/;

/** Reads what `tcpdump -n -tt` prints of TCP (print-tcp.c, 4.9 to 4.99), for captures that were kept as text. Never throws. */
export function parseTcpdump(text: string): SegmentsRead {
  if (text.trim() === '') return { problem: 'output-empty', notes: [] };
  const segments: Segment[] = [];
  const notes = new Set<string>();
  for (const line of text.split('\n')) {
    const segment = segmentOf(line);
    if (segment) segments.push(segment);
    else if (line.trim() !== '') notes.add(`tcpdump printed: ${line.trim().slice(0, 120)}`);
  }
  return segments.length > 0 ? { segments, notes: [...notes] } : { problem: 'output-unreadable', notes: [...notes] };
}

function segmentOf(line: string): Segment | undefined {
  const found = LINE.exec(line);
  const windowField = Number(/\bwin (\d+)/.exec(found?.[7] ?? '')?.[1] ?? Number.NaN);
  if (!found || !Number.isSafeInteger(windowField)) return undefined;
  const [, at, source = '', sourcePort, destination = '', destinationPort, flags = '', rest = '', length] = found;
  if (Number(sourcePort) > 65_535 || Number(destinationPort) > 65_535 || !Number.isSafeInteger(Number(length)))
    return undefined;
  const syn = flags.includes('S');
  const option = (name: string): number | undefined => {
    const value = Number(new RegExp(String.raw`\b${name} (\d+)`).exec(rest)?.[1] ?? Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  };
  return {
    atS: Number(at),
    source,
    sourcePort: Number(sourcePort),
    destination,
    destinationPort: Number(destinationPort),
    syn,
    ack: flags.includes('.'),
    rst: flags.includes('R'),
    fin: flags.includes('F'),
    windowField,
    payloadBytes: Number(length),
    ...(syn
      ? {
          windowScale: option('wscale'),
          mssBytes: option('mss'),
          sackPermitted: /\bsackOK\b/.test(rest),
          timestamps: /\bTS val\b/.test(rest),
        }
      : {}),
  };
}
