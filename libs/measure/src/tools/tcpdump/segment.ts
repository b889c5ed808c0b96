/** One TCP segment as it was captured. `windowField` is what stands in the header, not yet scaled. */
export interface Segment {
  readonly atS: number;
  readonly source: string;
  readonly sourcePort: number;
  readonly destination: string;
  readonly destinationPort: number;
  readonly syn: boolean;
  readonly ack: boolean;
  readonly rst: boolean;
  readonly fin: boolean;
  readonly windowField: number;
  readonly payloadBytes: number;
  /** Options of a SYN. Absent: the SYN has no such option. */
  readonly windowScale?: number;
  readonly mssBytes?: number;
  readonly sackPermitted?: boolean;
  readonly timestamps?: boolean;
}

export type SegmentsRead =
  | { readonly segments: readonly Segment[]; readonly notes: readonly string[] }
  | { readonly problem: 'output-empty' | 'output-unreadable'; readonly notes: readonly string[] };
