import { type HalfSignedIn, Login, type SignedIn } from "@wcs/domain/login/Login"
import { Effect, Redacted } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { consolePath } from "../ConsoleRoutes.ts"
import * as Cookies from "./LoginCookies.ts"
import * as Pages from "./LoginPages.ts"
import type { LoginRefusal } from "./LoginProblem.ts"
import { answerRefusal, enter, goOn, LoginVisits, type Visit } from "./LoginVisit.ts"
import { stylePath, styleSheet } from "./Page.ts"

const signedIn = (visit: Pick<Visit, "wantsJson">, { device, recoveryCodes, session }: SignedIn) => {
  const next = { next: "done", recoveryCodes: recoveryCodes.map(Redacted.value) }
  const answer =
    recoveryCodes.length > 0 && !visit.wantsJson
      ? Cookies.set(Pages.recoveryCodesPage(recoveryCodes, consolePath), "session", session.token)
      : enter(visit, session.token, consolePath, next)
  return Cookies.clear(Cookies.set(answer, "device", device), "half")
}

/** Answers a finished or unfinished login: sets the cookies and continues to the next step. */
export const finish = (visit: Pick<Visit, "wantsJson">, outcome: SignedIn | HalfSignedIn) => {
  if (outcome._tag === "SignedIn") return signedIn(visit, outcome)
  const next = outcome.needs === "code" ? "/login/code" : "/login/enrol"
  return Cookies.set(goOn(visit, next, { next: outcome.needs }), "half", outcome.token)
}

/** Answers a step, or shows the page again with the problem. An expired unfinished login starts again. */
const answering = <E extends LoginRefusal, R>(
  visit: Visit,
  step: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  page: (problem: Pages.Problem) => HttpServerResponse.HttpServerResponse
) =>
  Effect.catch(step, (refusal) =>
    answerRefusal(visit, refusal, refusal._tag === "NoHalfLogin" ? Pages.passwordPage : page)
  )

const halfOf = ({ request }: Visit) => Cookies.read(request, "half")

/** The steps of a login. They need no JavaScript (§5.2, item 9). */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const login = yield* Login
    const { receive } = yield* LoginVisits

    const show = (path: `/${string}`, page: () => HttpServerResponse.HttpServerResponse) =>
      router.add(
        "GET",
        path,
        receive(() => Effect.sync(page))
      )

    yield* show("/login", Pages.passwordPage)
    yield* show("/login/code", Pages.codePage)
    yield* show("/login/enrol", Pages.enrolmentStartPage)
    yield* show(stylePath, () => styleSheet)

    yield* router.add(
      "POST",
      "/login",
      receive((visit) => {
        const password = Redacted.make(visit.fields("password"))
        const step = login.password(visit.tenant, visit.fields("email"), password, visit.browser)
        return answering(
          visit,
          Effect.map(step, (outcome) => finish(visit, outcome)),
          Pages.passwordPage
        )
      })
    )

    const second = (
      path: `/${string}`,
      step: Login["Service"]["code"] | Login["Service"]["recoveryCode"],
      page: (problem: Pages.Problem) => HttpServerResponse.HttpServerResponse
    ) =>
      router.add(
        "POST",
        path,
        receive((visit) => {
          const sent = { half: halfOf(visit), code: visit.fields("code").trim() }
          const outcome = step(visit.tenant, sent, visit.browser)
          return answering(
            visit,
            Effect.map(outcome, (done) => finish(visit, done)),
            page
          )
        })
      )

    yield* second("/login/code", login.code, Pages.codePage)
    yield* second("/login/recovery", login.recoveryCode, Pages.codePage)

    yield* router.add(
      "POST",
      "/login/enrol",
      receive((visit) => {
        const step = Effect.map(login.enrol(visit.tenant, halfOf(visit)), (enrolment) =>
          visit.wantsJson
            ? HttpServerResponse.jsonUnsafe({
                seed: Redacted.value(enrolment.seed),
                uri: Redacted.value(enrolment.uri)
              })
            : Pages.enrolmentPage(enrolment, "/login/confirm")
        )
        return answering(visit, step, Pages.passwordPage)
      })
    )

    yield* router.add(
      "POST",
      "/login/confirm",
      receive((visit) => {
        const sent = { half: halfOf(visit), code: visit.fields("code").trim() }
        const step = login.confirm(visit.tenant, sent, visit.browser)
        return answering(
          visit,
          Effect.map(step, (outcome) => finish(visit, outcome)),
          Pages.enrolmentAgainPage
        )
      })
    )
  })
)
