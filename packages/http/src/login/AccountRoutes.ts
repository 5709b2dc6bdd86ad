import { accountIdOf } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import { CallerEnded } from "@wcs/domain/access/CallerEnded"
import { Authentication } from "@wcs/domain/authentication/Authentication"
import { OwnAccount } from "@wcs/domain/login/OwnAccount"
import { isFresh } from "@wcs/domain/session/Session"
import { Sessions } from "@wcs/domain/session/Sessions"
import { NotASession } from "@wcs/domain/session/StepUp"
import { toRfc3339OrNull } from "@wcs/domain/shared/Instant"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Clock, Effect, Option, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { isOwnNavigation, isSameOrigin } from "../request/SameOrigin.ts"
import * as Cookies from "./LoginCookies.ts"
import * as Pages from "./LoginPages.ts"
import type { LoginRefusal } from "./LoginProblem.ts"
import * as LoginVisit from "./LoginVisit.ts"
import { answerRefusal, enter, goOn, type Visit } from "./LoginVisit.ts"

type Response = HttpServerResponse.HttpServerResponse
type Step = (visit: Visit) => Effect.Effect<Response, LoginRefusal, Caller | RequestId>

const path = "/account"

const done = (visit: Visit): Response => goOn(visit, path, { next: "done" })

const codesAnswer = ({ wantsJson }: Visit, codes: ReadonlyArray<Redacted.Redacted>): Response =>
  wantsJson
    ? HttpServerResponse.jsonUnsafe({ recoveryCodes: codes.map(Redacted.value) })
    : Pages.recoveryCodesPage(codes, path)

/** The changes to the user's own login, by path. */
const stepsOf = (
  account: OwnAccount["Service"],
  sessions: Sessions["Service"]
): Readonly<Record<`/${string}`, Step>> => ({
  "/logout": (visit) =>
    Effect.map(account.logOut, () =>
      Cookies.clear(goOn(visit, "/login", { next: "login" }), visit.call.request, "session")
    ),
  "/account/sessions/end": (visit) => Effect.as(sessions.endOthers, done(visit)),
  "/account/step-up": (visit) => {
    const { browser, fields } = visit
    const proof = { code: fields("code"), password: Redacted.make(fields("password")), address: browser.address }
    return Effect.map(account.stepUp(proof), ({ token }) => enter(visit, token, path))
  },
  "/account/password": (visit) => {
    const [current, next] = [Redacted.make(visit.fields("current")), Redacted.make(visit.fields("next"))]
    const changed = account.changePassword(current, next, visit.browser.address)
    return Effect.map(changed, ({ token }) => enter(visit, token, path))
  },
  "/account/second-factor": (visit) =>
    Effect.map(account.beginSecondFactor(visit.tenant.name), (enrolment) =>
      visit.wantsJson
        ? HttpServerResponse.jsonUnsafe({ seed: Redacted.value(enrolment.seed), uri: Redacted.value(enrolment.uri) })
        : Pages.enrolmentPage(enrolment, "/account/second-factor/confirm")
    ),
  "/account/second-factor/confirm": (visit) =>
    Effect.map(account.confirmSecondFactor(visit.fields("code")), (codes) => codesAnswer(visit, codes)),
  "/account/recovery-codes": (visit) => Effect.map(account.renewRecoveryCodes, (codes) => codesAnswer(visit, codes))
})

/** The account page, where users change their own login. It accepts only sessions: a token cannot change a login. */
export const make = Effect.gen(function* () {
  const users = yield* UserStore
  const account = yield* OwnAccount
  const authentication = yield* Authentication
  const sessions = yield* Sessions
  const { visit } = yield* LoginVisit.make

  /** Returns the caller of the session. Fails if another site sent the request. */
  const callerOf = ({ call: { request }, tenant }: Visit) =>
    isSameOrigin(request) || (request.method === "GET" && isOwnNavigation(request))
      ? Effect.mapError(
          authentication.authenticateSession(tenant, Cookies.read(request, "session")),
          () => new NotASession()
        )
      : Effect.fail(new NotASession())

  const personOf = Effect.gen(function* () {
    const caller = yield* Caller
    const find = (urn: string) => users.find(caller.tenantId, accountIdOf(urn))
    const found = yield* find(caller.account)
    const { account: own, invitedBy, joinedAt } = Option.getOrThrow(found)
    const { email, role } = own
    const inviter = invitedBy === null ? Option.none() : yield* find(invitedBy)
    const now = yield* Clock.currentTimeMillis
    return {
      email: email ?? "",
      joinedAt: toRfc3339OrNull(joinedAt),
      invitedBy: Option.getOrNull(Option.map(inviter, (one) => one.account.email)),
      role: typeof role === "string" ? role : "custom role",
      hasSecondFactor: yield* account.hasSecondFactor,
      provider: Option.getOrNull(yield* account.provider),
      isFresh: isFresh({ authenticatedAt: caller.authenticatedAt ?? 0 }, now),
      currentSession: caller.bearer.id,
      sessions: yield* sessions.own
    }
  })

  const askToLogIn = (visit: Visit) =>
    answerRefusal(visit, new NotASession(), () => HttpServerResponse.redirect("/login", { status: 303 }))

  /** Runs a step for the caller. A refusal shows the account page again, with the problem. */
  const asCaller = (step: Step) => (visit: Visit) =>
    Effect.matchEffect(callerOf(visit), {
      onFailure: () => Effect.sync(() => askToLogIn(visit)),
      onSuccess: (caller) =>
        step(visit).pipe(
          Effect.catch((refusal) =>
            Effect.map(personOf, (person) =>
              answerRefusal(visit, refusal, (problem) => Pages.accountPage(person, problem))
            )
          ),
          Effect.provideService(Caller, caller),
          Effect.catchDefect((defect) =>
            defect instanceof CallerEnded ? Effect.sync(() => askToLogIn(visit)) : Effect.die(defect)
          )
        )
    })

  const show: Step = () => Effect.map(personOf, (person) => Pages.accountPage(person))
  return [
    visit("GET", path, asCaller(show)),
    ...Object.entries(stepsOf(account, sessions)).map(([stepPath, step]) => visit("POST", stepPath, asCaller(step)))
  ]
})
