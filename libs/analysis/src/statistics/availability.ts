/** A time of unavailability, seconds from the start; the end is the first second that is available again. */
export interface Outage {
  startS: number;
  endS: number;
}

export interface Availability {
  totalS: number;
  unavailableS: number;
  /** Severely errored seconds while the service counted as available. */
  severeInAvailableS: number;
  /** 0 to 1; null without any second. */
  ratio: number | null;
  outages: readonly Outage[];
}

/** Seconds of one kind in a row that change the state. */
const RUN_S = 10;

/**
 * The ten-second rule (ITU-T Y.1563, section 9; Y.1564, section 8.5): unavailable from the first of ten severely errored
 * seconds in a row, available again from the first of ten good ones; those ten belong to the new state. Starts available;
 * an unfinished tail stays in the state it is in.
 * @param severe one entry a second: whether it was severely errored.
 */
export function availability(severe: readonly boolean[]): Availability {
  const outages: Outage[] = [];
  let severeInAvailableS = 0;
  let startS: number | null = null;
  for (const run of runsOf(severe)) {
    if (startS === null && run.severe && run.lengthS >= RUN_S) startS = run.startS;
    else if (startS !== null && !run.severe && run.lengthS >= RUN_S) {
      outages.push({ startS, endS: run.startS });
      startS = null;
    } else if (startS === null && run.severe) severeInAvailableS += run.lengthS;
  }
  if (startS !== null) outages.push({ startS, endS: severe.length });
  const unavailableS = outages.reduce((sum, o) => sum + o.endS - o.startS, 0);
  const totalS = severe.length;
  return {
    totalS,
    unavailableS,
    severeInAvailableS,
    ratio: totalS === 0 ? null : (totalS - unavailableS) / totalS,
    outages,
  };
}

function runsOf(severe: readonly boolean[]): { severe: boolean; startS: number; lengthS: number }[] {
  const runs: { severe: boolean; startS: number; lengthS: number }[] = [];
  severe.forEach((bad, second) => {
    const last = runs.at(-1);
    if (last && last.severe === bad) last.lengthS++;
    else runs.push({ severe: bad, startS: second, lengthS: 1 });
  });
  return runs;
}
