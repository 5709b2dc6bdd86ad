import { BulkFetchBody } from "@wcs/api/invitations/FetchRequestsApi"
import { fetchRequestTable, recruitmentCheckTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { type BulkItem, FetchRequests } from "@wcs/domain/screening/FetchRequests"
import type { Action, Inviting } from "@wcs/domain/screening/Invitation"
import { RecruitmentChecks } from "@wcs/domain/screening/RecruitmentChecks"
import { textOf } from "@wcs/domain/service/Refusals"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect, Result } from "effect"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { batch, type OfOne, recordHandlers, shownOf } from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"

/** The handlers of the actions without a body. */
const actionsOf = <Fields extends JsonObject>({ perform }: Inviting<Fields>) => {
  const performing = (action: Action) => (call: OfOne) => shownOf(call, perform(call.params.id, action))
  return { resend: performing("resend"), remind: performing("remind"), cancel: performing("cancel") }
}

export const recruitmentChecks = Effect.gen(function* () {
  const checks = yield* RecruitmentChecks
  const fileList = yield* FileLists.make
  return handlersOf(NewerSurface, "recruitmentChecks", {
    list: fileList("recruitment-checks", recruitmentCheckTable, checks.list),
    ...recordHandlers(checks, "recruitment-checks"),
    ...actionsOf(checks)
  })
})

const itemOf = ({ outcome, worker }: BulkItem) =>
  Result.isSuccess(outcome)
    ? { worker, success: true, id: outcome.success }
    : { worker, success: false, error: textOf(outcome.failure) }

const readBulk = JsonBody.readAs(BulkFetchBody)

export const fetchRequests = Effect.gen(function* () {
  const requests = yield* FetchRequests
  const fileList = yield* FileLists.make
  return handlersOf(NewerSurface, "fetchRequests", {
    list: fileList("fetch-requests", fetchRequestTable, requests.list),
    ...recordHandlers(requests, "fetch-requests"),
    ...actionsOf(requests),
    bulk: (call: Call) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readBulk(call)
        const { workers, ...shared } = value
        const items = yield* requests.createEach(workers, shared)
        const failed = items.filter(({ outcome }) => Result.isFailure(outcome)).length
        return yield* batch(call, items.map(itemOf), failed, warnings)
      })
  })
})
