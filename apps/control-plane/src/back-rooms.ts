import type { BackRooms } from './app.module.js';
import { ExecutionModule } from './execution/execution.module.js';
import { PersistenceModule } from './persistence/persistence.module.js';

/** The real ones. */
export const backRooms: BackRooms = { persistence: PersistenceModule, execution: ExecutionModule };
