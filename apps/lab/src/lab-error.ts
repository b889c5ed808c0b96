/** What can go wrong with a lab: the closed list. The sentence that comes with a code says what happened and what to do. */
export const LAB_ERRORS = {
  'not-permitted': 'Network namespaces need root',
  'tun-missing': 'The kernel offers no TUN/TAP devices',
  'namespace-refused': 'The kernel or the container does not permit network namespaces',
  'program-missing': 'A program that the lab needs is not installed',
  'compiler-missing': 'The emulator is compiled at its first use and there is no C compiler',
  'compile-failed': 'The emulator does not compile',
  'invalid-options': 'The lab cannot be made as asked',
  'lab-exists': 'A lab of that name is up',
  'lab-not-found': 'There is no lab of that name',
  'lab-busy': 'Another process is making or removing that lab',
  'lab-elsewhere': "Somebody else's namespaces have the names that the lab needs",
  'state-unreadable': "The lab's state file cannot be understood",
  'setup-failed': 'A step of making the lab failed',
  'emulator-failed': 'The link emulator does not run',
  'command-refused': 'The link does not take that command',
  'host-unknown': 'The lab has no such host',
  'link-unknown': 'The lab has no such link',
  'sysctl-refused': 'The setting cannot be changed in a namespace',
} as const satisfies Record<string, string>;
export type LabErrorCode = keyof typeof LAB_ERRORS;

/** A failure that the caller can do something about. `message` is a sentence; `code` is from the closed list. */
export class LabError extends Error {
  override readonly name = 'LabError';
  constructor(
    readonly code: LabErrorCode,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

/** The text of anything that was thrown. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
