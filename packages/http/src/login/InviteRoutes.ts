import { Login } from "@wcs/domain/login/Login"
import { Invites } from "@wcs/domain/user/Invites"
import { Effect, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import * as Pages from "./LoginPages.ts"
import { finish } from "./LoginRoutes.ts"
import { answerRefusal, LoginVisits } from "./LoginVisit.ts"

/** The path of the invite page, without the secret. */
export const invitePath = "/invite"

const secretOf = Effect.map(HttpRouter.params, ({ secret = "" }) => Redacted.make(secret))

/**
 * The page of an invite link. Sets the first password and continues as a login, with the enrolment of a second factor
 * if required. Only the form uses up the link: mail scanners that open it have no effect.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const invites = yield* Invites
    const login = yield* Login
    const { receive } = yield* LoginVisits

    yield* router.add(
      "GET",
      `${invitePath}/:secret`,
      receive((visit) =>
        secretOf.pipe(
          Effect.flatMap((secret) => invites.find(visit.tenant.id, secret)),
          Effect.map(({ account }) => Pages.invitePage(account.email ?? "")),
          Effect.catch((refusal) => answerRefusal(visit, refusal, Pages.noInvitePage))
        )
      )
    )

    yield* router.add(
      "POST",
      `${invitePath}/:secret`,
      receive((visit) =>
        Effect.gen(function* () {
          const secret = yield* secretOf
          const password = Redacted.make(visit.fields("password"))
          const { account } = yield* invites.find(visit.tenant.id, secret)
          const email = account.email ?? ""
          return yield* invites.accept(visit.tenant.id, secret, password).pipe(
            Effect.andThen(login.password(visit.tenant, email, password, visit.browser)),
            Effect.map((outcome) => finish(visit, outcome)),
            Effect.catch((refusal) =>
              answerRefusal(visit, refusal, (problem) =>
                refusal._tag === "NoInvite" ? Pages.noInvitePage(problem) : Pages.invitePage(email, problem)
              )
            )
          )
        }).pipe(Effect.catch((refusal) => answerRefusal(visit, refusal, Pages.noInvitePage)))
      )
    )
  })
)
