import type { RateLimited } from "@wcs/domain/access/RateLimitTier"
import type { Tenant } from "@wcs/domain/access/Tenant"
import { answerPath } from "@wcs/domain/answer/AnswerMinting"
import { AnswerPage, type NoAnswerLink, type Sent, type Visitor } from "@wcs/domain/answer/AnswerPage"
import { documentLimits } from "@wcs/domain/document/Document"
import type { AnswerClosed } from "@wcs/domain/screening/Answer"
import { type Refusal, textOf } from "@wcs/domain/service/Refusals"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { Tenancy } from "@wcs/domain/token/Tenancy"
import { Effect, Option, Redacted, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Cookies from "../login/LoginCookies.ts"
import { readFields } from "../login/LoginForm.ts"
import type { Call } from "../pipeline/Call.ts"
import { route } from "../pipeline/Route.ts"
import { tenantOfCall } from "../request/ResolveTenant.ts"
import * as Pages from "./AnswerPages.ts"
import { fileIn } from "./FormFile.ts"

/** The largest form: the details of many cards. */
const formLimitBytes = 64 * 1024

type Response = HttpServerResponse.HttpServerResponse
type Service = AnswerPage["Service"]

/** A visit of a link. */
interface Visit {
  readonly call: Call
  readonly tenant: Tenant
  readonly visitor: Visitor
}

const visitorOf = ({ params, request }: Call): Visitor => ({
  secret: Redacted.make(params["secret"] ?? ""),
  device: Cookies.read(request, "answer")
})

/** Goes back to the page of the link, so that a reload sends nothing again. */
const back = ({ call }: Visit): Response =>
  HttpServerResponse.redirect(`${answerPath}/${call.params["secret"] ?? ""}`, {
    status: 303,
    headers: { "referrer-policy": "no-referrer", "cache-control": "no-store" }
  })

const withDevice = (response: Response, { call }: Visit, device: Redacted.Redacted): Response =>
  Cookies.set(response, call.request, "answer", device)

const shown = (service: Service, { tenant, visitor }: Visit) =>
  Effect.map(service.open(tenant, visitor), (view) => Pages.pageOfView(tenant.name, view))

/** Shows the form with what was entered, and what is wrong with it. */
const formWith = (
  service: Service,
  { tenant, visitor }: Visit,
  sent: Sent,
  faults: Pages.Filled["faults"],
  isClosed = false
) =>
  Effect.map(service.open(tenant, visitor), (view) =>
    view._tag === "Bound"
      ? Pages.formPage(
          tenant.name,
          { ...view, entered: sent.entered },
          { faults, hasAgreed: sent.agreesTo === view.noticeKey, isClosed }
        )
      : Pages.pageOfView(tenant.name, view)
  )

type Failure = NoAnswerLink | RateLimited | AnswerClosed

/** What a button does. */
const answersOf = (
  service: Service,
  visit: Visit,
  sent: Sent,
  code: string
): Readonly<Record<Exclude<Pages.Step, "upload">, Effect.Effect<Response, Failure, RequestId>>> => {
  const { tenant, visitor } = visit
  return {
    open: Effect.map(service.bind(tenant, visitor), (device) => withDevice(back(visit), visit, device)),
    code: Effect.map(service.askCode(tenant, visitor), (device) =>
      withDevice(Pages.foreignPage(tenant.name, { isAsked: true, isWrong: false }), visit, device)
    ),
    leave: Effect.as(service.leave(tenant, visitor), Cookies.clear(Pages.leftPage, visit.call.request, "answer")),
    device: Effect.map(
      service.enterCode(tenant, visitor, code),
      Option.match({
        onNone: () => Pages.foreignPage(tenant.name, { isAsked: true, isWrong: true }),
        onSome: (device) => withDevice(back(visit), visit, device)
      })
    ),
    check: Effect.flatMap(
      service.check(tenant, visitor, sent),
      Result.match({
        onFailure: (faults) => formWith(service, visit, sent, faults),
        onSuccess: (view) => Effect.succeed(Pages.summaryPage(tenant.name, view))
      })
    ),
    edit: formWith(service, visit, sent, []),
    send: Effect.flatMap(
      service.submit(tenant, visitor, sent),
      Result.match({
        onFailure: (faults) => formWith(service, visit, sent, faults),
        onSuccess: () => Effect.succeed(back(visit))
      })
    )
  }
}

const isMultipart = ({ request }: Call): boolean =>
  (request.headers["content-type"] ?? "").toLowerCase().startsWith("multipart/form-data")

const isStep = (text: string): text is Exclude<Pages.Step, "upload"> =>
  text !== "upload" && (Pages.steps as ReadonlyArray<string>).includes(text)

type Refusing = NoAnswerLink | RateLimited

/** The response to a refusal: the same for each reason why a link is not accepted. */
const refused = (failure: Refusing): Response => {
  switch (failure._tag) {
    case "NoAnswerLink":
      return Pages.noLinkPage
    case "RateLimited":
      return Pages.tooManyPage(failure.quota.resetSeconds)
  }
}

/**
 * The page of a link, on which a person answers a request without an account (DECISIONS.md#answers). It needs no script. The
 * secret in the path is what a foreign site lacks to forge a form, so no origin is required: with the policy of these pages
 * browsers send none.
 */
export const make = Effect.gen(function* () {
  const service = yield* AnswerPage
  const tenantOf = tenantOfCall(yield* Tenancy)

  const visiting = (
    method: "GET" | "POST",
    answer: (visit: Visit) => Effect.Effect<Response, NoAnswerLink | Refusal, RequestId>
  ) =>
    route(method, `${answerPath}/:secret`, (call) =>
      Effect.flatMap(tenantOf(call), (tenant) => {
        const visit = { call, tenant, visitor: visitorOf(call) }
        const refuse = (failure: Refusing) => Effect.succeed(refused(failure))
        return Effect.catchTags(answer(visit), { NoAnswerLink: refuse, RateLimited: refuse })
      })
    )

  /** Stores the file of a form. */
  const uploaded = Effect.fnUntraced(function* (visit: Visit) {
    const { call, tenant, visitor } = visit
    const body = yield* call.receive(documentLimits.bytes + formLimitBytes)
    const file = fileIn(call.request.headers["content-type"] ?? "", body)
    if (file === undefined || file.bytes.length === 0) return Pages.fileRefusedPage("Choose a file first.")
    const refuse = (refusal: Refusal) => Effect.succeed(Pages.fileRefusedPage(textOf(refusal)))
    return yield* service
      .upload(tenant, visitor, file)
      .pipe(
        Effect.as(back(visit)),
        Effect.catchTags({ InvalidArgument: refuse, DocumentsFull: refuse, NoAnswerLink: () => shown(service, visit) })
      )
  })

  const posted = Effect.fnUntraced(function* (visit: Visit) {
    if (isMultipart(visit.call)) return yield* uploaded(visit)
    const fields = yield* readFields(visit.call, formLimitBytes)
    const step = fields("step")
    const sent = { entered: fields, agreesTo: fields("consent") }
    if (!isStep(step)) return yield* shown(service, visit)
    return yield* Effect.catchTags(answersOf(service, visit, sent, fields("code"))[step], {
      // Nothing that was typed is lost while an approval is being written.
      AnswerClosed: () => formWith(service, visit, sent, [], true),
      // The request may have ended meanwhile: the person sees how.
      NoAnswerLink: () => shown(service, visit)
    })
  })

  return [visiting("GET", (visit) => shown(service, visit)), visiting("POST", posted)]
})
