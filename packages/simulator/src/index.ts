export { runApi, startApi } from "./api.ts";
export type { Api, ApiOptions, RecordedRequest } from "./api.ts";
export { chooseStep, withVariables } from "./scenario.ts";
export type {
  ApiBlock,
  ApiError,
  ApiMessage,
  Block,
  Choice,
  Failure,
  Pace,
  Scenario,
  Script,
  Step,
  Usage,
} from "./scenario.ts";
