import type { HostSnapshot } from '@plumbline/model';
import type { Facts } from './facts.js';

/**
 * Whether the clock is held by a reference: `chronyc tracking`, `timedatectl show` or `ntpq -c rv`, told apart by what
 * they print. Absent: nobody could say.
 */
export function clockOf(facts: Facts): HostSnapshot['clock'] {
  const text = facts.text('cmd.clock');
  if (text === undefined) return undefined;
  if (/^Leap status\s*:/m.test(text)) return chrony(text);
  const synchronised = /^NTPSynchronized=(yes|no)$/m.exec(text)?.[1];
  if (synchronised !== undefined) return { synchronised: synchronised === 'yes', source: 'timedatectl' };
  if (/leap_\w+/.test(text)) {
    const offset = numberIn(text, /\boffset=(-?[\d.]+)/);
    return {
      synchronised: !/leap_alarm/.test(text),
      source: 'ntpd',
      offsetMs: offset,
      maxErrorMs: numberIn(text, /\brootdisp=([\d.]+)/),
    };
  }
  return facts.misread('cmd.clock', `not understood: ${text.slice(0, 80)}`);
}

/** chronyc(1): seconds "fast" or "slow" of NTP time; root delay / 2 + root dispersion bounds the error. */
function chrony(text: string): HostSnapshot['clock'] {
  const offsetS = numberIn(text, /^System time\s*:\s*([\d.]+) seconds/m);
  const delayS = numberIn(text, /^Root delay\s*:\s*([\d.]+) seconds/m);
  const dispersionS = numberIn(text, /^Root dispersion\s*:\s*([\d.]+) seconds/m);
  const slow = /^System time\s*:.*\bslow\b/m.test(text);
  return {
    synchronised: !/^Leap status\s*:\s*Not synchronised/im.test(text),
    source: 'chrony',
    offsetMs: offsetS === undefined ? undefined : (slow ? -1000 : 1000) * offsetS,
    maxErrorMs: delayS === undefined || dispersionS === undefined ? undefined : (delayS / 2 + dispersionS) * 1000,
  };
}

function numberIn(text: string, pattern: RegExp): number | undefined {
  const value = Number(pattern.exec(text)?.[1] ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}
