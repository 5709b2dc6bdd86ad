import type { AnswerRequest } from "@wcs/http/pipeline/Edge"
import { Context } from "effect"

/** Chooses what answers a request. By default, the first database has all tenants. */
export const Dispatch = Context.Reference<(first: AnswerRequest) => AnswerRequest>("@wcs/deployment/cells/Dispatch", {
  defaultValue: () => (first) => first
})
