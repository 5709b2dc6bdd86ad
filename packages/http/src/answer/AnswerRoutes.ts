import type { RateLimited } from "@wcs/domain/access/RateLimitTier"
import type { Tenant } from "@wcs/domain/access/Tenant"
import { AnswerForm, type Sent } from "@wcs/domain/answer/AnswerForm"
import { answerPath } from "@wcs/domain/answer/AnswerMinting"
import { AnswerPage } from "@wcs/domain/answer/AnswerPage"
import type { NoAnswerLink, Visitor } from "@wcs/domain/answer/AnswerVisit"
import { pageLanguage } from "@wcs/domain/answer/PageLanguage"
import { documentLimits } from "@wcs/domain/document/Document"
import type { AnswerClosed } from "@wcs/domain/screening/Answer"
import { PayloadTooLarge } from "@wcs/domain/service/HttpRefusal"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { Tenancy } from "@wcs/domain/token/Tenancy"
import { Effect, Option, Redacted, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Cookies from "../login/LoginCookies.ts"
import type { Call } from "../pipeline/Call.ts"
import { type Route, route } from "../pipeline/Route.ts"
import { tenantOfCall } from "../request/ResolveTenant.ts"
import * as Pages from "./AnswerPages.ts"
import * as AnswerRefusals from "./AnswerRefusals.ts"
import { fileIn } from "./FormFile.ts"
import { acceptedLanguages, words } from "./PageLanguages.ts"
import type { Reader } from "./Reader.ts"

type Response = HttpServerResponse.HttpServerResponse

interface Services {
  readonly page: AnswerPage["Service"]
  readonly form: AnswerForm["Service"]
}

/** A visit of a link. */
interface Visit {
  readonly call: Call
  readonly tenant: Tenant
  readonly visitor: Visitor
  readonly reader: Reader
}

/** Goes back to the page of the link, so that a reload sends nothing again. */
const back = ({ call }: Visit): Response =>
  HttpServerResponse.redirect(`${answerPath}/${call.params["secret"] ?? ""}`, {
    status: 303,
    headers: { "referrer-policy": "no-referrer", "cache-control": "no-store" }
  })

const withDevice = (response: Response, { call }: Visit, device: Redacted.Redacted): Response =>
  Cookies.set(response, call.request, "answer", device)

const shown = ({ page }: Services, { reader, tenant, visitor }: Visit) =>
  Effect.map(page.open(tenant, visitor), (view) => Pages.pageOfView(reader, view))

/** Shows the form with what was entered, and what is wrong with it. */
const formWith = (
  { page }: Services,
  { reader, tenant, visitor }: Visit,
  sent: Sent,
  faults: Pages.Filled["faults"],
  isClosed = false
) =>
  Effect.map(page.open(tenant, visitor), (view) =>
    view._tag === "Bound"
      ? Pages.formPage(
          reader,
          { ...view, entered: sent.entered },
          { faults, hasAgreed: sent.agreesTo === view.noticeKey, isClosed, isShown: false }
        )
      : Pages.pageOfView(reader, view)
  )

type Failure = NoAnswerLink | RateLimited | AnswerClosed

/** What a button does. */
const answersOf = (
  services: Services,
  visit: Visit,
  sent: Sent,
  code: string
): Readonly<Record<Exclude<Pages.Step, "upload">, Effect.Effect<Response, Failure, RequestId>>> => {
  const { form, page } = services
  const { reader, tenant, visitor } = visit
  return {
    open: Effect.map(page.bind(tenant, visitor), (device) => withDevice(back(visit), visit, device)),
    code: Effect.map(page.askCode(tenant, visitor), (device) =>
      withDevice(Pages.foreignPage(reader, { isAsked: true, isWrong: false }), visit, device)
    ),
    leave: Effect.as(
      page.leave(tenant, visitor),
      Cookies.clear(Pages.leftPage(reader.words), visit.call.request, "answer")
    ),
    device: Effect.map(
      page.enterCode(tenant, visitor, code),
      Option.match({
        onNone: () => Pages.foreignPage(reader, { isAsked: true, isWrong: true }),
        onSome: (device) => withDevice(back(visit), visit, device)
      })
    ),
    check: Effect.flatMap(
      form.check(tenant, visitor, sent),
      Result.match({
        onFailure: (faults) => formWith(services, visit, sent, faults),
        onSuccess: (view) => Effect.succeed(Pages.summaryPage(reader, view))
      })
    ),
    edit: formWith(services, visit, sent, []),
    remove: Effect.as(form.remove(tenant, visitor, sent.entered("file")), back(visit)),
    send: Effect.flatMap(
      form.submit(tenant, visitor, sent),
      Result.match({
        onFailure: (faults) => formWith(services, visit, sent, faults),
        onSuccess: () => Effect.succeed(back(visit))
      })
    )
  }
}

const isStep = (text: string): text is Exclude<Pages.Step, "upload"> =>
  text !== "upload" && (Pages.steps as ReadonlyArray<string>).includes(text)

/** Stores the file of a form. */
const uploaded = Effect.fnUntraced(function* (services: Services, visit: Visit) {
  const { call, reader, tenant, visitor } = visit
  const { "content-length": length, "content-type": type = "" } = call.request.headers
  const limitBytes = documentLimits.bytes + AnswerRefusals.formLimitBytes
  if (Number(length ?? 0) > limitBytes) return yield* new PayloadTooLarge({ limitBytes })
  const sent = yield* fileIn(type, call.receivePieces(limitBytes))
  if (sent === undefined) return Pages.fileRefusedPage(reader.words, undefined)
  // A browser shows no answer while it sends.
  const refuse = (refusal: Refusal) =>
    Effect.as(Effect.ignore(sent.drain), Pages.fileRefusedPage(reader.words, refusal))
  return yield* services.form
    .upload(tenant, visitor, { ...sent, announcedBytes: Number(length ?? limitBytes), card: sent.field("card") })
    .pipe(
      Effect.as(back(visit)),
      Effect.catchTags({
        ...{ InvalidArgument: refuse, DocumentsFull: refuse, AnswerClosed: refuse },
        NoAnswerLink: () => Effect.andThen(Effect.ignore(sent.drain), shown(services, visit))
      })
    )
}, Effect.scoped)

/**
 * The page of a link, on which a person answers a request without an account (DECISIONS.md#answers). It needs no script. The
 * secret in the path is what a foreign site lacks to forge a form, so no origin is required: with the policy of these pages
 * browsers send none.
 */
export const make = Effect.gen(function* () {
  const services: Services = { page: yield* AnswerPage, form: yield* AnswerForm }
  const tenantOf = tenantOfCall(yield* Tenancy)
  const { learn, readForm, refused } = AnswerRefusals.make()

  const visitOf = Effect.fnUntraced(function* (call: Call) {
    const { params, request } = call
    const tenant = yield* tenantOf(call)
    const settings = yield* services.page.settingsOf(tenant)
    learn(call, settings.language)
    const language = pageLanguage(settings.language, acceptedLanguages(request.headers["accept-language"]))
    const device = Cookies.read(request, "answer")
    const visitor = { secret: Redacted.make(params["secret"] ?? ""), device, language, settings }
    const reader = { words: words[language], organization: tenant.name }
    return { call, tenant, visitor, reader } satisfies Visit
  })

  const visiting = (call: Call, answer: (visit: Visit) => Effect.Effect<Response, NoAnswerLink | Refusal, RequestId>) =>
    Effect.flatMap(visitOf(call), (visit) =>
      Effect.catchTag(answer(visit), "NoAnswerLink", () => Effect.succeed(Pages.noLinkPage(visit.reader.words)))
    )

  const pressed = Effect.fnUntraced(function* (visit: Visit, form: URLSearchParams) {
    const entered = (name: string): string => form.get(name) ?? ""
    const step = entered("step")
    const sent = { entered, agreesTo: entered("consent") }
    if (!isStep(step)) return yield* shown(services, visit)
    return yield* answersOf(services, visit, sent, entered("code"))[step].pipe(
      Effect.catchTags({
        // Nothing that was typed is lost while an approval is being written.
        AnswerClosed: () => formWith(services, visit, sent, [], true),
        // The request may have ended meanwhile: the person sees how.
        NoAnswerLink: () => shown(services, visit)
      })
    )
  })

  /** The form is read first, so that its page has it if the store is not there. */
  const posted = (call: Call) =>
    AnswerRefusals.isMultipart(call)
      ? visiting(call, (visit) => uploaded(services, visit))
      : Effect.flatMap(readForm(call), (form) => visiting(call, (visit) => pressed(visit, form)))

  const path = `${answerPath}/:secret`
  const routes: ReadonlyArray<Route> = [
    { ...route("GET", path, (call) => visiting(call, (visit) => shown(services, visit))), refused },
    route("POST", path, posted)
  ]
  return routes
})
