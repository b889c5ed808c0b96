import { z } from 'zod';

/** How an attempt ended. A failed measurement is data, not an exception. */
export const Outcome = z.enum(['completed', 'partial', 'refused', 'failed', 'timed-out', 'cancelled', 'lost']);
export type Outcome = z.output<typeof Outcome>;

type ReasonFacts = { outcome: Exclude<Outcome, 'completed'>; text: string; retry: boolean };

/**
 * The closed list of reasons: which outcome each belongs to, what it means, and whether the control plane tries again
 * by itself (only where no test traffic had been sent). docs/errors.md is checked against this table.
 */
export const REASONS = {
  // refused: nothing was sent
  'tool-missing': {
    outcome: 'refused',
    retry: false,
    text: 'The program that this test needs is not installed on the probe. Install it there.',
  },
  'tool-too-old': {
    outcome: 'refused',
    retry: false,
    text: 'The installed version of the program cannot do what the test asks. Install the version named.',
  },
  'congestion-control-unavailable': {
    outcome: 'refused',
    retry: false,
    text: 'The sending host cannot run the congestion control that the test names. Load its kernel module there or name another.',
  },
  'parameter-unsupported': {
    outcome: 'refused',
    retry: false,
    text: 'The probe cannot carry out one of the parameters of the test.',
  },
  'spec-invalid': {
    outcome: 'refused',
    retry: false,
    text: 'The probe could not read the test it was sent; the versions may be too far apart.',
  },
  'endpoint-unknown': {
    outcome: 'refused',
    retry: false,
    text: "The probe has no endpoint of that name. Compare the path with the probe's configuration.",
  },
  'endpoint-mismatch': {
    outcome: 'refused',
    retry: false,
    text: "The endpoint's address differs between the probe and the control plane. Register the probe again.",
  },
  'address-family-mismatch': {
    outcome: 'refused',
    retry: false,
    text: 'The two endpoints of the path do not speak the same version of IP.',
  },
  'grant-missing': { outcome: 'refused', retry: false, text: 'The far probe has not consented to this test.' },
  'grant-invalid': {
    outcome: 'refused',
    retry: false,
    text: "The far probe's consent could not be verified. Enrol both probes with this control plane.",
  },
  'grant-exceeded': {
    outcome: 'refused',
    retry: false,
    text: 'The test asks for more than the far probe consented to.',
  },
  'fence-stale': {
    outcome: 'refused',
    retry: false,
    text: 'A newer leg holds the interface; this attempt came too late.',
  },
  'probe-version-incompatible': {
    outcome: 'refused',
    retry: false,
    text: "The probe's version is more than one minor version away. Install the version named.",
  },
  'probe-identity-mismatch': {
    outcome: 'refused',
    retry: false,
    text: 'The probe at that address is not the one that was registered.',
  },
  'probe-busy': { outcome: 'refused', retry: true, text: 'The probe still runs another attempt on that interface.' },
  // failed before any traffic
  'probe-unreachable': {
    outcome: 'failed',
    retry: true,
    text: "The control plane cannot reach the source's probe. Is it running, and is its address right?",
  },
  'far-probe-unreachable': {
    outcome: 'failed',
    retry: true,
    text: "The control plane cannot reach the destination's probe. Is it running, and is its address right?",
  },
  'server-busy': { outcome: 'failed', retry: true, text: "The far end's server was busy with another test." },
  'server-not-ready': { outcome: 'failed', retry: true, text: "The far end's server did not start listening in time." },
  'port-in-use': { outcome: 'failed', retry: true, text: 'The port chosen for the test is taken by another program.' },
  'local-address-unavailable': {
    outcome: 'failed',
    retry: true,
    text: "The host could not give the test its own address or a free port: the path was not tried. Compare the endpoint's address with the host's interfaces, and look for many closed connections (TIME-WAIT).",
  },
  'connection-refused': {
    outcome: 'failed',
    retry: true,
    text: 'The far end refused the connection: nothing listens on that port, or a firewall rejects it.',
  },
  'tool-not-started': { outcome: 'failed', retry: false, text: 'The program could not be started on the probe.' },
  // failed
  'no-route': { outcome: 'failed', retry: false, text: 'There is no route from the source to the destination.' },
  'connection-timed-out': {
    outcome: 'failed',
    retry: false,
    text: 'The connection to the far end timed out: packets are dropped on the way.',
  },
  'connection-reset': { outcome: 'failed', retry: false, text: 'The connection was reset in the middle of the test.' },
  'authentication-failed': {
    outcome: 'failed',
    retry: false,
    text: "The far end's server refused the one-off credentials.",
  },
  'socket-buffer-refused': {
    outcome: 'failed',
    retry: false,
    text: 'The host cannot give the socket buffer that windowBytes asks for; raise net.core.rmem_max and wmem_max or ask for less.',
  },
  'tool-failed': { outcome: 'failed', retry: false, text: 'The program reported an error of its own; see its output.' },
  'tool-killed': { outcome: 'failed', retry: false, text: 'The program was ended by a signal before it had a result.' },
  'output-empty': { outcome: 'failed', retry: false, text: 'The program ended without printing a result.' },
  'output-unreadable': {
    outcome: 'failed',
    retry: false,
    text: 'What the program printed could not be understood; the bytes are kept.',
  },
  'counter-overflow': {
    outcome: 'failed',
    retry: false,
    text: 'A counter is 2^53 or more and cannot be shown exactly.',
  },
  'path-gone': { outcome: 'failed', retry: false, text: 'The path was deleted, or its probe is no longer registered.' },
  'not-started-in-time': { outcome: 'failed', retry: false, text: 'The run could not start before its notAfter.' },
  'internal-error': { outcome: 'failed', retry: false, text: 'Plumbline made a mistake; its log has the details.' },
  // partial: the intervals before the end hold
  interrupted: {
    outcome: 'partial',
    retry: false,
    text: 'The program was interrupted; what it had measured until then is kept.',
  },
  'control-connection-lost': {
    outcome: 'partial',
    retry: false,
    text: "The tool's control connection was lost before the far end's totals arrived.",
  },
  'receiver-totals-missing': {
    outcome: 'partial',
    retry: false,
    text: "The receiver's totals are missing; the sender's are kept but not shown as throughput.",
  },
  'output-too-large': { outcome: 'partial', retry: false, text: 'The output passed 64 MiB and was cut there.' },
  // timed-out, cancelled, lost
  'deadline-exceeded': {
    outcome: 'timed-out',
    retry: false,
    text: 'The test ran past its longest duration and was ended.',
  },
  'cancelled-by-user': { outcome: 'cancelled', retry: false, text: 'Somebody cancelled the run.' },
  superseded: {
    outcome: 'cancelled',
    retry: false,
    text: 'A newer leg took the interface; the probe ended this attempt.',
  },
  'probe-stopped': { outcome: 'lost', retry: false, text: 'The probe was shut down in the middle of the test.' },
  'probe-lost': {
    outcome: 'lost',
    retry: false,
    text: 'The probe died or became unreachable in the middle of the test and did not come back with a result.',
  },
  'far-probe-lost': { outcome: 'lost', retry: false, text: "The destination's probe died in the middle of the test." },
} as const satisfies Record<string, ReasonFacts>;

export type Reason = keyof typeof REASONS;
export const Reason = z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]);

/** Why a step or leg was not carried out, or ended without an attempt of its own. */
export const StepReason = z.enum([...Reason.options, 'earlier-step-failed', 'run-cancelled', 'some-attempts-failed']);
export type StepReason = z.output<typeof StepReason>;

/** How an attempt ended, with its one reason: the first cause wins. */
export type Ending =
  | { outcome: 'completed' }
  | { outcome: Exclude<Outcome, 'completed'>; reason: Reason; detail?: string };

/** The ending that a reason stands for. `detail` is one more sentence with the particulars (a name, a version, a limit). */
export const ended = (reason: Reason, detail?: string): Ending & { reason: Reason } =>
  detail === undefined
    ? { outcome: REASONS[reason].outcome, reason }
    : { outcome: REASONS[reason].outcome, reason, detail };

/** Reads a reason that came from elsewhere (a probe one version newer); what we do not know is `internal-error`. */
export const parseReason = (text: string): Reason => Reason.safeParse(text).data ?? 'internal-error';
