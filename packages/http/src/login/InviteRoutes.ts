import { Login } from "@wcs/domain/login/Login"
import { Invites } from "@wcs/domain/user/Invites"
import { Effect, Redacted } from "effect"
import * as Pages from "./LoginPages.ts"
import { finish } from "./LoginRoutes.ts"
import * as LoginVisit from "./LoginVisit.ts"
import { answerRefusal, type Visit } from "./LoginVisit.ts"

/** The path of the invite page, without the secret. */
export const invitePath = "/invite"

const secretOf = ({ call }: Visit) => Redacted.make(call.params["secret"] ?? "")

/**
 * The page of an invite link. Sets the first password and continues as a login, with the enrolment of a second factor
 * if required. Only the form uses up the link: mail scanners that open it have no effect.
 */
export const make = Effect.gen(function* () {
  const invites = yield* Invites
  const login = yield* Login
  const { visit } = yield* LoginVisit.make

  const show = (visit: Visit) =>
    Effect.match(invites.find(visit.tenant.id, secretOf(visit)), {
      onFailure: (refusal) => answerRefusal(visit, refusal, Pages.noInvitePage),
      onSuccess: ({ account }) => Pages.invitePage(account.email ?? "")
    })

  const accept = (visit: Visit) =>
    Effect.gen(function* () {
      const secret = secretOf(visit)
      const password = Redacted.make(visit.fields("password"))
      const { account } = yield* invites.find(visit.tenant.id, secret)
      const email = account.email ?? ""
      return yield* Effect.match(
        Effect.andThen(
          invites.accept(visit.tenant.id, secret, password),
          login.password(visit.tenant, email, password, visit.browser)
        ),
        {
          onFailure: (refusal) =>
            answerRefusal(visit, refusal, (problem) =>
              refusal._tag === "NoInvite" ? Pages.noInvitePage(problem) : Pages.invitePage(email, problem)
            ),
          onSuccess: (outcome) => finish(visit, outcome)
        }
      )
    }).pipe(Effect.catch((refusal) => Effect.sync(() => answerRefusal(visit, refusal, Pages.noInvitePage))))

  const path = `${invitePath}/:secret`
  return [visit("GET", path, show), visit("POST", path, accept)]
})
