export * from './generated/plumbline/probe/v1/probe.js';
