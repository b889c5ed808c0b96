// @ts-check
/** Ends the bootstrap with a sentence for the person at the keyboard, without a stack. */
export class SetupFailure extends Error {
  /**
   * @param {string} sentence what happened and what to do
   * @param {number} exitCode
   */
  constructor(sentence, exitCode = 1) {
    super(sentence);
    this.exitCode = exitCode;
  }
}
