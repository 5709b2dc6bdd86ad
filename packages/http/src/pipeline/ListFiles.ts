import type { ListTable } from "@wcs/api/ListTable"
import { Caller } from "@wcs/domain/access/Caller"
import { nameOf } from "@wcs/domain/access/Privilege"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { Authentication } from "@wcs/domain/authentication/Authentication"
import type { WholeList } from "@wcs/domain/resource/WholeList"
import { Unavailable } from "@wcs/domain/service/HttpRefusal"
import type { Refusal } from "@wcs/domain/service/Refusals"
import { dayAt } from "@wcs/domain/shared/CalendarDay"
import type { Instant } from "@wcs/domain/shared/Instant"
import { WhoAmI } from "@wcs/domain/user/WhoAmI"
import { Cause, Clock, Context, Data, Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { callerOf } from "../request/Authenticate.ts"
import type { Call } from "./Call.ts"
import { csvFile, csvFileWithHeading } from "./CsvFile.ts"
import type { FileForm } from "./FileForm.ts"
import { htmlFile } from "./HtmlFile.ts"

/** The files that a server sends at the same time, in all and to one tenant. Each reads a whole list. */
const mostFiles = { all: 8, perTenant: 2 }

const forms: ReadonlyArray<FileForm> = [csvFile, htmlFile]

/** A file ends after this time, so that a client that reads slowly gives its place back. */
const longestMillis = 60 * 60_000

/** The parameters of a media type that an `Accept` header names (RFC 9110, section 12.5.1). */
const parametersOf = (accept: string, type: string): ReadonlyArray<string> | undefined => {
  const [found] = accept
    .toLowerCase()
    .split(",")
    .flatMap((range) => {
      const [name, ...parameters] = range.split(";").map((part) => part.trim())
      return name === type ? [parameters] : []
    })
  return found
}

/** The weight of a media type in an `Accept` header; 0 if the header does not name it. */
const weightOf = (accept: string, type: string): number => {
  const found = parametersOf(accept, type)
  const weight = found?.find((parameter) => parameter.startsWith("q="))
  return found === undefined ? 0 : weight === undefined ? 1 : Number(weight.slice(2)) || 0
}

/** The form that the caller prefers to JSON; undefined without such a preference. */
export const formWanted = ({ request }: Pick<Call, "request">): FileForm | undefined => {
  const accept = request.headers["accept"] ?? ""
  const [best] = forms
    .map((form) => ({ form, weight: weightOf(accept, form.type) }))
    .toSorted((one, other) => other.weight - one.weight)
  if (best === undefined || best.weight <= weightOf(accept, "application/json")) return undefined
  const isHeaded = best.form === csvFile && parametersOf(accept, csvFile.type)?.includes("heading=present") === true
  return isHeaded ? csvFileWithHeading : best.form
}

/** The access of a caller has ended while a file is sent. */
class AccessEnded extends Data.TaggedError("AccessEnded") {}

const busy = new Unavailable({ retryAfterSeconds: 10 })

/** Answers pages as a file of a form. All lists share the places for files. */
export class ListFiles extends Context.Service<
  ListFiles,
  <Shown, E extends Refusal>(
    call: Call,
    form: FileForm,
    name: string,
    table: ListTable<Shown>,
    whole: Effect.Effect<WholeList<Shown>, E, Caller>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E | Unavailable, Caller>
>()("@wcs/http/ListFiles") {}

/**
 * Makes the files. Pages are read while a file is sent, so a file of any length needs little memory. Before a page is
 * sent, the caller is authenticated again: a file ends incomplete once the access has ended. Expiry does not count,
 * because it is judged when a call arrives. Above the number of places the answer is 503.
 */
export const make = Effect.gen(function* () {
  const authentication = yield* Authentication
  const { read: whoAmI } = yield* WhoAmI
  const sending = new Map<string, number>()
  const countOf = (tenantId: string): number => sending.get(tenantId) ?? 0
  const isFull = (tenantId: string): boolean =>
    countOf(tenantId) >= mostFiles.perTenant ||
    [...sending.values()].reduce((sum, count) => sum + count, 0) >= mostFiles.all
  const enter = (tenantId: string) => Effect.sync(() => sending.set(tenantId, countOf(tenantId) + 1))
  const leave = (tenantId: string) =>
    Effect.sync(() => {
      const left = countOf(tenantId) - 1
      if (left > 0) sending.set(tenantId, left)
      else sending.delete(tenantId)
    })

  /**
   * Dies if the caller may no longer read, reaches other units than `reached`, or if the file took too long. The client
   * sees an incomplete body.
   */
  const mayGoOn = (call: Call, began: Instant, reached: ReadonlyArray<string> | undefined) =>
    Effect.gen(function* () {
      if ((yield* Clock.currentTimeMillis) > began + longestMillis) {
        return yield* Effect.die(new Error("a file took too long to send"))
      }
      const { limitedTo, privileges } = yield* Effect.catch(callerOf(authentication, call, began), () =>
        Effect.die(new AccessEnded())
      )
      if (call.needs.some((privilege) => !privileges.has(nameOf(privilege))))
        return yield* Effect.die(new AccessEnded())
      if (limitedTo?.join() !== reached?.join()) return yield* Effect.die(new AccessEnded())
    })

  const logEnd = (call: Call) => (cause: Cause.Cause<never>) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void // the client left
    const log =
      Cause.squash(cause) instanceof AccessEnded
        ? Effect.logInfo("a file is incomplete, because the access of its caller has ended")
        : Effect.logError("a file is incomplete", cause)
    return Effect.annotateLogs(log, { requestId: call.requestId })
  }

  return ListFiles.of((call, form, name, table, whole) =>
    Effect.gen(function* () {
      const { account, limitedTo, tenantId, timeZone } = yield* Caller
      const tenant = call.service(CurrentTenant)
      const { first, pages } = yield* whole
      // after the first page has been read: calls that arrive meanwhile may have taken the places
      if (isFull(tenantId)) return yield* busy
      const began = yield* Clock.currentTimeMillis
      const rows = pages.pipe(
        Stream.tap(() => mayGoOn(call, began, limitedTo)),
        Stream.flatMap((documents) => Stream.fromArray(documents.map(table.rowOf)))
      )
      const { email } = yield* Effect.provideService(whoAmI, CurrentTenant, tenant)
      const heading = {
        ...{ name, organization: tenant.name, madeBy: email ?? account },
        ...{ timeZone, madeAt: began, filters: call.query }
      }
      // A place is taken when the body is read: nothing reads that of a HEAD, or of a client that has left.
      const place = Effect.acquireRelease(enter(tenantId), () => leave(tenantId))
      const held = Stream.unwrap(Effect.as(place, form.bytesOf(table.columnsOf(first), rows, heading)))
      return HttpServerResponse.stream(
        held.pipe(Stream.tapCause(logEnd(call)), Stream.provideContext(call.services as Context.Context<never>)),
        {
          contentType: `${form.type}; charset=utf-8`,
          headers: {
            "content-disposition": `attachment; filename="${name}-${dayAt(began, timeZone)}.${form.extension}"`
          }
        }
      )
    })
  )
})
