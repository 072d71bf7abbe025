// The planner: what a storage delivers (`predict`), and which storage meets a wish at what price (`plan`). Pure.
export { cachedRead } from './cached';
export * from './configuration';
export { type Cost, type CostItem, costOf } from './cost';
export { type CurvePoint, costCurve } from './curve';
export type { Design } from './design';
export type { GridPlan, TemporaryPlan } from './grid';
export { DESIGN_IDS, frontierOf, type Plan, plan } from './plan';
export { mixedMBps, predict } from './predict';
export { PriceBook } from './price-book';
export { type ServersNeeded, serversNeeded } from './servers-needed';
export { compareWithDemand, type Demand, deliveryText, type Verdict } from './shortfall';
export * from './text';
export {
  AVAILABILITY,
  type Availability,
  DURABILITY,
  type Durability,
  type Need,
  needOf,
  type Wish,
} from './wish';
