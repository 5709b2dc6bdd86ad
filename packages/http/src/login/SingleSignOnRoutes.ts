import { Authentication } from "@wcs/domain/access/Authentication"
import { Caller } from "@wcs/domain/access/Caller"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { type Begun, type Place, type SignOn, SingleSignOn } from "@wcs/domain/single-sign-on/SingleSignOn"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { consolePath } from "../ConsoleRoutes.ts"
import { UnknownPath } from "../refusal/HttpRefusal.ts"
import { answerOf } from "../refusal/Refused.ts"
import { isOwnNavigation, isSameOrigin, ownOrigin } from "../request/SameOrigin.ts"
import * as Cookies from "./LoginCookies.ts"
import { enter, LoginVisits, type Visit } from "./LoginVisit.ts"
import * as Pages from "./SingleSignOnPages.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The maximum size of a SAML response in base64, with escapes and a RelayState. */
const postLimitBytes = 512 * 1024

const metadataType = "application/samlmetadata+xml; charset=utf-8"

interface Services {
  readonly signOn: SingleSignOn["Service"]
  readonly authentication: Authentication["Service"]
  readonly codes: ErrorCodes["Service"]
}

const notFound = (codes: ErrorCodes["Service"]) =>
  Effect.map(RequestId, (requestId) => answerOf(codes, new UnknownPath(), requestId))

const placeOf = ({ request, tenant }: Visit) =>
  Effect.map(HttpRouter.params, ({ id }): Place => ({ tenant, providerId: id ?? "", origin: ownOrigin(request) }))

/** Whether the user must log in again at the identity provider. */
const isFresh = Effect.map(HttpServerRequest.ParsedSearchParams, ({ fresh }) => fresh === "true")

const leave = ({ pending, url }: Begun): Response =>
  Cookies.set(
    HttpServerResponse.redirect(url, { status: 303, headers: { "cache-control": "no-store" } }),
    "signOn",
    pending
  )

const arrive = (outcome: SignOn): Response =>
  outcome._tag === "Tested" ? Pages.testPage(outcome) : enter({ wantsJson: false }, outcome.session.token, consolePath)

const metadata = ({ codes, signOn }: Services, visit: Visit) =>
  Effect.flatMap(placeOf(visit), (place) => signOn.metadata(place)).pipe(
    Effect.map((xml) => HttpServerResponse.text(xml, { contentType: metadataType })),
    Effect.catchTag("NoProvider", () => notFound(codes))
  )

/** Starts a login. */
const begin = ({ codes, signOn }: Services, visit: Visit) =>
  Effect.zip(placeOf(visit), isFresh).pipe(
    Effect.flatMap(([place, fresh]) => signOn.begin(place, fresh)),
    Effect.map(leave),
    Effect.catchTags({ NoProvider: () => notFound(codes), SignOnRefused: () => Effect.sync(Pages.refusedPage) })
  )

/** Returns the caller of the session. None if another site sent the request. */
const callerOf = ({ authentication }: Services, { request, tenant }: Visit) =>
  isSameOrigin(request) || isOwnNavigation(request)
    ? Effect.option(authentication.authenticateSession(tenant.id, Cookies.read(request, "session")))
    : Effect.succeedNone

const beginTest = Effect.fnUntraced(function* (services: Services, visit: Visit) {
  const { codes, signOn } = services
  const caller = yield* callerOf(services, visit)
  if (Option.isNone(caller)) return HttpServerResponse.redirect("/login", { status: 303 })
  const requestId = yield* RequestId
  return yield* Effect.zip(placeOf(visit), isFresh).pipe(
    Effect.flatMap(([place, fresh]) => signOn.beginTest(place, fresh)),
    Effect.provideService(Caller, caller.value),
    Effect.map(leave),
    Effect.catchTags({
      NoProvider: () => notFound(codes),
      SignOnRefused: (refusal) => Effect.sync(() => Pages.testPage({ _tag: "Tested", email: null, refusal })),
      Forbidden: (refusal) => Effect.succeed(answerOf(codes, refusal, requestId))
    })
  )
})

/** Finishes a login. Removes the pending login in any case. */
const finish = (
  { codes }: Services,
  visit: Visit,
  step: (
    place: Place,
    back: Parameters<SingleSignOn["Service"]["finishSaml"]>[1]
  ) => ReturnType<SingleSignOn["Service"]["finishSaml"]>
) => {
  const { browser, request } = visit
  const back = { pending: Cookies.read(request, "signOn"), userAgent: browser.userAgent }
  return Effect.flatMap(placeOf(visit), (place) => step(place, back)).pipe(
    Effect.map(arrive),
    Effect.catchTags({ NoProvider: () => notFound(codes), SignOnRefused: () => Effect.sync(Pages.refusedPage) }),
    Effect.map((response) => Cookies.clear(response, "signOn"))
  )
}

const finishSaml = (services: Services, visit: Visit) => {
  const relayState = visit.fields("RelayState")
  const posted = {
    samlResponse: visit.fields("SAMLResponse"),
    relayState: relayState === "" ? undefined : relayState
  }
  return finish(services, visit, (place, back) => services.signOn.finishSaml(place, back, posted))
}

const finishOidc = (services: Services, visit: Visit) =>
  finish(services, visit, (place, back) =>
    services.signOn.finishOidc(place, back, `${place.origin}${visit.request.url}`)
  )

/** The steps of a login through an identity provider (§5.2, item 9). They need no JavaScript. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const services: Services = {
      signOn: yield* SingleSignOn,
      authentication: yield* Authentication,
      codes: yield* ErrorCodes
    }
    const { receive, receiveCrossSite } = yield* LoginVisits
    yield* router.add(
      "GET",
      "/login/sso",
      receive(({ tenant }) => Effect.map(services.signOn.offers(tenant), Pages.offersPage))
    )
    for (const kind of ["saml", "oidc"] as const) {
      yield* router.add(
        "GET",
        `/${kind}/:id/login`,
        receive((visit) => begin(services, visit))
      )
      yield* router.add(
        "GET",
        `/${kind}/:id/test`,
        receive((visit) => beginTest(services, visit))
      )
    }
    yield* router.add(
      "GET",
      "/saml/:id/metadata",
      receive((visit) => metadata(services, visit))
    )
    yield* router.add(
      "POST",
      "/saml/:id/acs",
      receiveCrossSite(postLimitBytes, (visit) => finishSaml(services, visit))
    )
    yield* router.add(
      "GET",
      "/oidc/:id/callback",
      receive((visit) => finishOidc(services, visit))
    )
  })
)
