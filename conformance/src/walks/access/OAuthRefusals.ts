import { Effect } from "effect"
import {
  askByBasic,
  askGrant,
  goodGrant,
  grantsNothing,
  grantTo,
  neighboursOf,
  orAuthorizedRead,
  refusedWith,
  requireClient,
  revealed,
  tokenIn,
  wrong,
  wrongSecret
} from "../../calls/Grants.ts"
import { isChallenged } from "../../exchanges/Refusals.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge, judgePair, observe, statusAndCode } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { walk } from "../../judgement/Walk.ts"
import { bareForm, basicHeaders, type ClientPair, clientForm } from "../../profile/ClientForms.ts"
import { goodClient } from "../../profile/Principals.ts"
import type { Exchange } from "../../wire/Exchange.ts"

/** Other grants, and texts that only resemble the right one. */
const otherGrants = [
  ...["password", "authorization_code", "refresh_token", "implicit"],
  ...["Client_Credentials", "client_credential", "client_credentials2", "client-credentials"]
]

/** Those that are tried with the client in the header too. */
const byHeader = otherGrants.filter((grant) => !/^[Cc]lient_|implicit/.test(grant))

/** Valid credentials, with one defect in each request (§7.2). */
const refusals = walk({
  name: "oauth/refused-grant",
  judges: ["OAU-09", "OAU-10", "OAU-20"],
  impact: "read",
  needs: ["OAuth client"]
})(function* () {
  const { send } = yield* Session
  const client = yield* requireClient()
  const { ask, good, isByBody } = yield* grantTo(client)
  const { exchange, header } = yield* askByBasic(client)
  // a client that is not accepted in the header is refused for that
  const isByBoth = isByBody && tokenIn(exchange) !== undefined
  const askByHeader = (form: Readonly<Record<string, string>>) => askGrant(form, header)
  // a parameter without a value counts as missing (RFC 6749, section 3.2)
  const missing = [yield* ask({}), yield* ask({ grant_type: "" }), ...(isByBoth ? [yield* askByHeader({})] : [])]
  yield* judgePair(
    "OAU-09",
    { control: good, probe: missing },
    missing.flatMap((one) => refusedWith(one, 400, "unsupported_grant_type"))
  )
  const others = [
    ...(yield* Effect.forEach(otherGrants, (grant_type) => ask({ grant_type }))),
    ...(yield* Effect.forEach(isByBoth ? byHeader : [], (grant_type) => askByHeader({ grant_type })))
  ]
  yield* judgePair(
    "OAU-10",
    { control: good, probe: others },
    others.flatMap((other) => refusedWith(other, 400, "unsupported_grant_type"))
  )
  const json = yield* send({ method: "POST", path: "/oauth/token", as: null, json: clientForm(client) })
  yield* judgePair("OAU-20", { control: good, probe: json }, [
    ...Expect.rejected(json),
    ...["error", "error_description"].flatMap((field) => Expect.type(json, field, "string")),
    ...grantsNothing(json)
  ])
})

/** A wrong secret, in the body and in the header. */
const wrongSecrets = walk({
  name: "oauth/wrong-secret",
  judges: ["OAU-08", "OAU-12"],
  impact: "read",
  needs: ["OAuth client"]
})(function* () {
  const client = yield* requireClient()
  const other = yield* wrongSecret(client)
  const { good: granted, isByBody } = yield* grantTo(client)
  const others = [...(yield* neighboursOf(client.secret)), ` ${client.secret}`, "no-such-secret"]
  const wrongs = [other, ...others.map((secret): ClientPair => ({ ...client, secret }))]
  // if no client is accepted in the body, a refusal there shows nothing
  const inBody = yield* Effect.forEach(isByBody ? wrongs : [], (pair) => askGrant(clientForm(pair)))
  const inHeader = yield* Effect.forEach(wrongs.flatMap(basicHeaders), (header) => askGrant(bareForm, header))
  const probe = [...inBody, ...inHeader, ...(yield* wrongThere)]
  const differences = probe.flatMap((one) => refusedWith(one, 401, "invalid_client"))
  yield* judgePair("OAU-12", { control: granted, probe }, differences)
  // an empty secret may count as none, so only a grant is wrong
  const none = { id: client.id, secret: "" }
  const empty = [yield* askGrant(clientForm(none)), yield* askGrant(bareForm, basicHeaders(none)[0])]
  const opened = empty.flatMap((one) => [...Expect.notAccepted(one), ...grantsNothing(one)])
  yield* judgePair("OAU-12", { control: granted, probe: empty }, opened)

  const byBasic = yield* askByBasic(client)
  const good = yield* goodGrant(Effect.succeed(byBasic.exchange))
  const bad = [other, yield* inventedClient]
  const inBoth = yield* Effect.forEach(bad, (pair) => askGrant(clientForm(pair), byBasic.header))
  yield* judgePair(
    "OAU-08",
    { control: good, probe: inBoth },
    inBoth.flatMap((one) => [...Expect.status(one, 401), ...grantsNothing(one)])
  )
})

/** A wrong secret of the second tenant's client, on that tenant's host. */
const wrongThere = Effect.gen(function* () {
  const { profile } = yield* Session
  const admin = profile.secondTenant?.admin
  if (admin === undefined || !("oauth" in admin)) return []
  const pair = yield* wrongSecret(yield* revealed(admin.oauth))
  return [yield* askGrant(clientForm(pair), undefined, "second tenant")]
})

/** Unknown clients, in the body and in the header. */
const unknownClient = walk({ name: "oauth/unknown-client", judges: ["OAU-11", "OAU-14"], impact: "read", needs: [] })(
  function* () {
    const { profile } = yield* Session
    const good = yield* control(orAuthorizedRead())
    const known = goodClient(profile)
    const clients = known === undefined ? [] : [yield* revealed(known)]
    const nobodies = [yield* inventedClient, ...(yield* Effect.forEach(clients, misspelt))]
    const inBodies = yield* Effect.forEach(nobodies, (nobody) => askGrant(clientForm(nobody)))
    const inHeaders = yield* Effect.forEach(nobodies, (nobody) => askGrant(bareForm, basicHeaders(nobody)[0]))
    const probe = [...inBodies, ...inHeaders]
    const differences = probe.flatMap((exchange) => refusedWith(exchange, 401, "invalid_client"))
    yield* judgePair("OAU-11", { control: good, probe }, differences)
    const more = yield* Effect.forEach(yield* Effect.forEach(clients, wrongSecret), (pair) =>
      askGrant(bareForm, basicHeaders(pair)[0])
    )
    yield* judge(
      "OAU-14",
      [...inHeaders, ...more],
      [...inHeaders, ...more].flatMap((one) => [...Expect.status(one, 401), ...isChallenged(one)])
    )
  }
)

/** An invented id in the form of §5.2, and a secret. */
const inventedClient = Effect.gen(function* () {
  const { unique } = yield* Session
  const name = (yield* unique).replaceAll("-", "")
  return { id: `conformance_oauth_${name}`, secret: `nosuchsecret${name}` }
})

/** A client's secret with an unknown id of the same form. */
const misspelt = (client: ClientPair) => Effect.map(wrong(client.id), (id): ClientPair => ({ ...client, id }))

const revokedClient = walk({
  name: "oauth/revoked-client",
  judges: ["OAU-13"],
  impact: "read",
  needs: ["revoked OAuth client"]
})(function* () {
  const { profile } = yield* Session
  const { revokedClient: revoked } = profile.principals
  if (revoked === undefined) return yield* block("the profile has no revoked OAuth client")
  const good = yield* control(orAuthorizedRead())
  const client = yield* revealed(revoked)
  const inBody = yield* askGrant(clientForm(client))
  const inHeader = yield* askGrant(bareForm, basicHeaders(client)[0])
  const valid = goodClient(profile)
  const beside = valid === undefined ? undefined : basicHeaders(yield* revealed(valid))[0]
  const inBoth = beside === undefined ? [] : [yield* askGrant(clientForm(client), beside)]
  const probe = [inBody, inHeader, ...inBoth]
  yield* judgePair(
    "OAU-13",
    { control: good, probe },
    probe.flatMap((one) => [...refusedWith(one, 401, "invalid_client"), ...grantsNothing(one)])
  )
})

/** Which of two errors comes first, and which client is meant if the request is incomplete (SIL-23). */
const silences = walk({ name: "oauth/silences", judges: ["SIL-23"], impact: "read", needs: ["OAuth client"] })(
  function* () {
    const client = yield* requireClient()
    const twoFaults = yield* askGrant({ ...clientForm(yield* inventedClient), grant_type: "password" })
    const nobody = yield* askGrant(bareForm)
    const idBesideBasic = yield* askGrant({ ...bareForm, client_id: client.id }, basicHeaders(client)[0])
    const said = (exchange: Exchange) => statusAndCode(exchange, Expect.valueAt(exchange, "error"))
    yield* observe(
      "SIL-23",
      {
        "unknown client and another grant": said(twoFaults),
        "no client": said(nobody),
        "client_id in the body beside Basic": said(idBesideBasic)
      },
      [twoFaults, nobody, idBesideBasic]
    )
  }
)

/** OAU: refusals of the token endpoint. */
export const oauthRefusalWalks = [refusals, wrongSecrets, unknownClient, revokedClient, silences]
