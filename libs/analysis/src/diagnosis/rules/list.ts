import type { Rule } from '../rule.js';
import { applicationWindowLimited } from './application-window-limited.js';
import { receiveWindowLimited } from './receive-window-limited.js';
import { sendBufferLimited } from './send-buffer-limited.js';
import { windowScalingMissing } from './window-scaling-missing.js';

/** Every cause but `inconclusive`, which is what is left when none of these holds. */
export const RULES: readonly Rule[] = [
  windowScalingMissing,
  applicationWindowLimited,
  receiveWindowLimited,
  sendBufferLimited,
];
