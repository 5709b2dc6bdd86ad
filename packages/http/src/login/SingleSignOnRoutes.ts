import { Caller } from "@wcs/domain/access/Caller"
import { Authentication } from "@wcs/domain/authentication/Authentication"
import { UnknownPath } from "@wcs/domain/service/HttpRefusal"
import { ErrorCodes } from "@wcs/domain/service/Refusals"
import { type Begun, type Place, type SignOn, SingleSignOn } from "@wcs/domain/single-sign-on/SingleSignOn"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { consolePath } from "../ConsoleRoutes.ts"
import { answerOf } from "../refusal/Refused.ts"
import { isOwnNavigation, isSameOrigin, ownOrigin } from "../request/SameOrigin.ts"
import * as Cookies from "./LoginCookies.ts"
import * as LoginVisit from "./LoginVisit.ts"
import { enter, type Visit } from "./LoginVisit.ts"
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

const notFound = ({ codes }: Services, { call }: Visit) =>
  Effect.sync(() => answerOf(codes, new UnknownPath(), call.requestId))

const placeOf = ({ call, tenant }: Visit): Place => ({
  tenant,
  providerId: call.params["id"] ?? "",
  origin: ownOrigin(call.request)
})

/** Whether the user must log in again at the identity provider. */
const isFresh = ({ call }: Visit): boolean => call.query["fresh"] === "true"

const leave = ({ call }: Visit, { pending, url }: Begun): Response =>
  Cookies.set(
    HttpServerResponse.redirect(url, { status: 303, headers: { "cache-control": "no-store" } }),
    call.request,
    "signOn",
    pending
  )

const arrive = ({ call }: Visit, outcome: SignOn): Response =>
  outcome._tag === "Tested"
    ? Pages.testPage(outcome)
    : enter({ call, wantsJson: false }, outcome.session.token, consolePath)

const metadata = (services: Services, visit: Visit) =>
  services.signOn.metadata(placeOf(visit)).pipe(
    Effect.map((xml) => HttpServerResponse.text(xml, { contentType: metadataType })),
    Effect.catchTag("NoProvider", () => notFound(services, visit))
  )

/** Starts a login. */
const begin = (services: Services, visit: Visit) =>
  services.signOn.begin(placeOf(visit), isFresh(visit)).pipe(
    Effect.map((begun) => leave(visit, begun)),
    Effect.catchTags({
      NoProvider: () => notFound(services, visit),
      SignOnRefused: () => Effect.sync(Pages.refusedPage)
    })
  )

/** Returns the caller of the session. None if another site sent the request. */
const callerOf = ({ authentication }: Services, { call: { request }, tenant }: Visit) =>
  isSameOrigin(request) || isOwnNavigation(request)
    ? Effect.option(authentication.authenticateSession(tenant, Cookies.read(request, "session")))
    : Effect.succeedNone

const beginTest = Effect.fnUntraced(function* (services: Services, visit: Visit) {
  const caller = yield* callerOf(services, visit)
  if (Option.isNone(caller)) return HttpServerResponse.redirect("/login", { status: 303 })
  return yield* services.signOn.beginTest(placeOf(visit), isFresh(visit)).pipe(
    Effect.provideService(Caller, caller.value),
    Effect.map((begun) => leave(visit, begun)),
    Effect.catchTags({
      NoProvider: () => notFound(services, visit),
      SignOnRefused: (refusal) => Effect.sync(() => Pages.testPage({ _tag: "Tested", email: null, refusal }))
    })
  )
})

type Finish = SingleSignOn["Service"]["finishSaml"]

/** Finishes a login. Removes the pending login in any case. */
const finish = (
  services: Services,
  visit: Visit,
  step: (place: Place, back: Parameters<Finish>[1]) => ReturnType<Finish>
) => {
  const back = { pending: Cookies.read(visit.call.request, "signOn"), userAgent: visit.browser.userAgent }
  return step(placeOf(visit), back).pipe(
    Effect.map((outcome) => arrive(visit, outcome)),
    Effect.catchTags({
      NoProvider: () => notFound(services, visit),
      SignOnRefused: () => Effect.sync(Pages.refusedPage)
    }),
    Effect.map((response) => Cookies.clear(response, visit.call.request, "signOn"))
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
    services.signOn.finishOidc(place, back, `${place.origin}${visit.call.request.url}`)
  )

/** The steps of a login through an identity provider (§5.2, item 9). They need no JavaScript. */
export const make = Effect.gen(function* () {
  const services: Services = {
    signOn: yield* SingleSignOn,
    authentication: yield* Authentication,
    codes: yield* ErrorCodes
  }
  const { visit, visitCrossSite } = yield* LoginVisit.make
  const kinds = ["saml", "oidc"] as const
  return [
    visit("GET", "/login/sso", ({ tenant }) => Effect.map(services.signOn.offers(tenant), Pages.offersPage)),
    ...kinds.map((kind) => visit("GET", `/${kind}/:id/login`, (it) => begin(services, it))),
    ...kinds.map((kind) => visit("GET", `/${kind}/:id/test`, (it) => beginTest(services, it))),
    visit("GET", "/saml/:id/metadata", (it) => metadata(services, it)),
    visitCrossSite("/saml/:id/acs", postLimitBytes, (it) => finishSaml(services, it)),
    visit("GET", "/oidc/:id/callback", (it) => finishOidc(services, it))
  ]
})
