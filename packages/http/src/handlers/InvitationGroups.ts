import { BulkFetchBody } from "@wcs/api/groups/FetchRequestsApi"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { type BulkItem, FetchRequests } from "@wcs/domain/screening/FetchRequests"
import type { Action, Inviting } from "@wcs/domain/screening/Invitation"
import { RecruitmentChecks } from "@wcs/domain/screening/RecruitmentChecks"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect, Layer, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { textOf } from "../refusal/RefusalText.ts"
import { refusing } from "../refusal/Refused.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { batch, collectionHandlers, crudHandlers, one } from "./CollectionHandlers.ts"

/** The handler of an action without a body. */
const performing =
  <Fields extends JsonObject>({ perform }: Inviting<Fields>, action: Action) =>
  ({ params }: { readonly params: { readonly id: string } }) =>
    perform(params.id, action).pipe(
      Effect.flatMap((shown) => one(shown)),
      refusing
    )

const recruitmentChecks = HttpApiBuilder.group(
  NewerSurface,
  "recruitmentChecks",
  Effect.fn(function* (handlers) {
    const checks = yield* RecruitmentChecks
    return crudHandlers(handlers, collectionHandlers(checks, "recruitment-checks"))
      .handle("resend", performing(checks, "resend"))
      .handle("remind", performing(checks, "remind"))
      .handle("cancel", performing(checks, "cancel"))
  })
)

const itemOf = ({ outcome, worker }: BulkItem) =>
  Result.isSuccess(outcome)
    ? { worker, success: true, id: outcome.success }
    : { worker, success: false, error: textOf(outcome.failure) }

const fetchRequests = HttpApiBuilder.group(
  NewerSurface,
  "fetchRequests",
  Effect.fn(function* (handlers) {
    const requests = yield* FetchRequests
    const bulk = Effect.gen(function* () {
      const { value, warnings } = yield* JsonBody.readAs(BulkFetchBody)
      const { workers, ...shared } = value
      const items = yield* requests.createEach(workers, shared)
      return yield* batch(items.map(itemOf), items.filter(({ outcome }) => Result.isFailure(outcome)).length, warnings)
    })
    return crudHandlers(handlers, collectionHandlers(requests, "fetch-requests"))
      .handle("resend", performing(requests, "resend"))
      .handle("remind", performing(requests, "remind"))
      .handle("cancel", performing(requests, "cancel"))
      .handleRaw("bulk", () => refusing(bulk))
  })
)

/** The groups of recruitment checks and fetch requests. */
export const layer = Layer.mergeAll(recruitmentChecks, fetchRequests)
