import type { End } from '@plumbline/model';
import type { Recording } from '../../src/test-support/reading.js';
import { optionIn, textsIn } from './recordings.js';

/** The specs that recordings were made with, from their programs' own argv. */
export const throughputSpec = (recording: Recording) => {
  const option = (flag: string): string | undefined => optionIn(recording, 'test', flag);
  const reverse = recording.phases.some(({ argv }) => argv.includes('-R') || argv.includes('-r'));
  // To nuttcp -t says who sends.
  const nuttcp = recording.phases.some(({ tool }) => tool === 'nuttcp');
  const durationS = Number(option(nuttcp ? '-T' : '-t'));
  const bothWays = recording.phases.some(({ argv }) => argv.includes('--bidir'));
  const direction = bothWays ? 'simultaneous' : reverse ? 'reverse' : 'forward';
  // To nuttcp -P is the control port.
  const streams = nuttcp ? 1 : Number(option('-P') ?? 1);
  return { direction, durationS, omitS: Number(option('-O') ?? 0), streams };
};

export const udpSpec = (recording: Recording) => {
  const option = (flag: string): number => Number(optionIn(recording, 'test', flag));
  const streams = optionIn(recording, 'test', '-P') === undefined ? 1 : option('-P');
  const direction = recording.phases[0]?.argv.includes('-R') ? 'reverse' : 'forward';
  return { direction, durationS: option('-t'), rateBps: option('-b') * streams, payloadBytes: option('-l'), streams };
};

export const transactionsSpec = (recording: Recording) => {
  const option = (flag: string): number => Number(optionIn(recording, 'test', flag));
  const both = optionIn(recording, 'test', '-l') !== undefined;
  return {
    requestBytes: option(both ? '-l' : '--bounceback-request'),
    replyBytes: option(both ? '-l' : '--bounceback-reply'),
    durationS: option('-t'),
    underLoad: recording.phases.some(({ name }) => name === 'load'),
  };
};

export const synSpec = (recording: Recording) => ({
  port: Number(optionIn(recording, 'syn', '-p')),
  count: Number(optionIn(recording, 'syn', '-c')),
  intervalS: Number(optionIn(recording, 'syn', '-i')?.slice(1)) / 1e6,
});

export const mtrSpec = (recording: Recording) => {
  const argv = recording.phases[0]?.argv ?? [];
  const method = argv.includes('-u') ? 'udp' : argv.includes('-T') ? 'tcp-syn' : 'icmp';
  return { method, flows: recording.phases.length, cycles: Number(optionIn(recording, 'flow-1', '-c')) };
};

export const sizesSpec = ({ phases }: Recording) => ({
  sizesBytes: phases.flatMap(({ name }) => (name.startsWith('size-') ? [Number(name.slice(5))] : [])),
});

/** What ss printed of a test's data socket at each end: the recorded sender, with the recording's port. */
export function socketsOf(dataPort: (recording: Recording) => string | undefined) {
  const recorded = textsIn('ss/fixtures', '.txt').find((text) => text.includes('snd_wnd')) ?? '';
  return (recording: Recording, end: End): string => {
    const port = dataPort(recording) ?? '47771';
    // Both addresses are 127.0.0.1: the near end has the port as its own, the far end as its peer's.
    return recorded.replace(end === 'near' ? '47771' : '5998', port);
  };
}
