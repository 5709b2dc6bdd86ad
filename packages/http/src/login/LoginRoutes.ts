import { type HalfSignedIn, Login, type SignedIn } from "@wcs/domain/login/Login"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { consolePath } from "../ConsoleRoutes.ts"
import * as Cookies from "./LoginCookies.ts"
import * as Pages from "./LoginPages.ts"
import type { LoginRefusal } from "./LoginProblem.ts"
import * as LoginVisit from "./LoginVisit.ts"
import { type Answered, answerRefusal, enter, goOn, type Visit } from "./LoginVisit.ts"
import { stylePath, styleSheet } from "./Page.ts"

const signedIn = (visit: Answered, { device, recoveryCodes, session }: SignedIn) => {
  const { request } = visit.call
  const next = { next: "done", recoveryCodes: recoveryCodes.map(Redacted.value) }
  const answer =
    recoveryCodes.length > 0 && !visit.wantsJson
      ? Cookies.set(Pages.recoveryCodesPage(recoveryCodes, consolePath), request, "session", session.token)
      : enter(visit, session.token, consolePath, next)
  return Cookies.clear(Cookies.set(answer, request, "device", device), request, "half")
}

/** Answers a finished or unfinished login: sets the cookies and continues to the next step. */
export const finish = (visit: Answered, outcome: SignedIn | HalfSignedIn) => {
  if (outcome._tag === "SignedIn") return signedIn(visit, outcome)
  const next = outcome.needs === "code" ? "/login/code" : "/login/enrol"
  return Cookies.set(goOn(visit, next, { next: outcome.needs }), visit.call.request, "half", outcome.token)
}

/** Answers a step, or shows the page again with the problem. An expired unfinished login starts again. */
const answering = <A, E extends LoginRefusal, R>(
  visit: Visit,
  step: Effect.Effect<A, E, R>,
  answer: (outcome: A) => HttpServerResponse.HttpServerResponse,
  page: (problem: Pages.Problem) => HttpServerResponse.HttpServerResponse
) =>
  Effect.match(step, {
    onFailure: (refusal) => answerRefusal(visit, refusal, refusal._tag === "NoHalfLogin" ? Pages.passwordPage : page),
    onSuccess: answer
  })

const halfOf = ({ call }: Visit) => Cookies.read(call.request, "half")

/** The code of the form, for the unfinished login. */
const sentOf = (visit: Visit) => ({ half: halfOf(visit), code: visit.fields("code") })

/** The steps of a login. They need no JavaScript (§5.2, item 9). */
export const make = Effect.gen(function* () {
  const login = yield* Login
  const { visit } = yield* LoginVisit.make

  const show = (path: string, page: () => HttpServerResponse.HttpServerResponse) =>
    visit("GET", path, () => Effect.sync(page))

  /** A step that can finish the login. */
  const finishing = <E extends LoginRefusal>(
    path: string,
    step: (visit: Visit) => Effect.Effect<SignedIn | HalfSignedIn, E, RequestId>,
    page: (problem: Pages.Problem) => HttpServerResponse.HttpServerResponse
  ) => visit("POST", path, (visit) => answering(visit, step(visit), (outcome) => finish(visit, outcome), page))

  const enrol = (visit: Visit) =>
    answering(
      visit,
      login.enrol(visit.tenant, halfOf(visit)),
      ({ seed, uri }) =>
        visit.wantsJson
          ? HttpServerResponse.jsonUnsafe({ seed: Redacted.value(seed), uri: Redacted.value(uri) })
          : Pages.enrolmentPage({ seed, uri }, "/login/confirm"),
      Pages.passwordPage
    )

  return [
    show("/login", Pages.passwordPage),
    show("/login/code", Pages.codePage),
    visit("GET", "/login/enrol", (visit) =>
      Effect.map(login.wasReset(visit.tenant, halfOf(visit)), Pages.enrolmentStartPage)
    ),
    show(stylePath, () => styleSheet),
    finishing(
      "/login",
      ({ browser, call, fields, tenant }) => {
        call.claimed = fields("email")
        return login.password(tenant, fields("email"), Redacted.make(fields("password")), browser)
      },
      Pages.passwordPage
    ),
    finishing("/login/code", (visit) => login.code(visit.tenant, sentOf(visit), visit.browser), Pages.codePage),
    finishing(
      "/login/recovery",
      (visit) => login.recoveryCode(visit.tenant, sentOf(visit), visit.browser),
      Pages.codePage
    ),
    visit("POST", "/login/enrol", enrol),
    finishing(
      "/login/confirm",
      (visit) => login.confirm(visit.tenant, sentOf(visit), visit.browser),
      Pages.enrolmentAgainPage
    )
  ]
})
