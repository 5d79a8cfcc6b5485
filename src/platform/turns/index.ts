export * from './carry-out.ts';
export * from './columns.ts';
export * from './kind.ts';
export * from './lease.ts';
export * from './relay.ts';
export * from './supervise.ts';
export * from './turn.ts';
export * from './running-turns.ts';
