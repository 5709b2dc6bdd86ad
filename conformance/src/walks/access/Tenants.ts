import { Effect } from "effect"
import { askGrant, grantsNothing, grantTo, revealed } from "../../calls/Grants.ts"
import { readWorkers } from "../../calls/Lookup.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, type Control, control, judgeNoAccess, judgePair, notApplicable } from "../../judgement/Judge.ts"
import { type CreatedResource, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { bareForm, basicHeaders, clientForm } from "../../profile/ClientForms.ts"
import { goodClient, type PrincipalName } from "../../profile/Principals.ts"
import type { Client } from "../../profile/Profile.ts"
import { originOf } from "../../profile/Roots.ts"

/** A tenant's host, as calls and created resources name it. */
type Host = CreatedResource["to"]

const second = "second tenant"

/** The second tenant's admin on that tenant's host. */
const there = { as: "secondTenant.admin", to: second } as const

/** Blocks the walk if both tenants have the same host in the profile: no call would be foreign. */
export const requireTwoHosts = Effect.gen(function* () {
  const { profile } = yield* Session
  const [here, elsewhere] = [originOf(profile, {}), originOf(profile, { to: second })]
  if (here === elsewhere) return yield* block("secondTenant.tenantBaseUrl is the tenant's own host")
})

/** Tokens of both kinds on the second host, and a token of the second tenant on the first. */
const foreignTokens = walk({
  name: "transport/foreign-tokens",
  judges: ["TRN-06"],
  impact: "read",
  needs: ["second tenant"]
})(function* () {
  yield* requireTwoHosts
  const { send } = yield* Session
  const call = { method: "GET", path: "/workers?pageSize=1" } as const
  const here = yield* control(readWorkers())
  const atHome = yield* control(send({ ...call, ...there }))
  const ours = yield* Effect.forEach(yield* ownPrincipals, (as) => send({ ...call, as, to: second }))
  const theirs = yield* send({ ...call, as: "secondTenant.admin" })
  yield* judgePair("TRN-06", { control: atHome, probe: ours }, ours.flatMap(Expect.rejected))
  yield* judgePair("TRN-06", { control: here, probe: theirs }, Expect.rejected(theirs))
})

/** The first tenant's principals with all privileges. */
export const ownPrincipals = Effect.map(Session, ({ profile: { principals } }): ReadonlyArray<PrincipalName> => {
  const { personalToken, secondClient } = principals
  return [
    "admin",
    ...(secondClient === undefined ? [] : (["secondClient"] as const)),
    ...(personalToken === undefined ? [] : (["personalToken"] as const))
  ]
})

/** A client of one tenant at the other tenant's token endpoint: in the body, and in the header. */
const judgeNoGrant = Effect.fnUntraced(function* (good: Control, client: Client, to: Host) {
  const pair = yield* revealed(client)
  const probe = [yield* askGrant(clientForm(pair), undefined, to), yield* askGrant(bareForm, basicHeaders(pair)[0], to)]
  const granted = probe.flatMap((one) => [...Expect.notAccepted(one), ...grantsNothing(one)])
  yield* judgeNoAccess("TRN-10", { control: good, probe }, granted)
})

const foreignClients = walk({
  name: "transport/foreign-clients",
  judges: ["TRN-10"],
  impact: "read",
  needs: ["second tenant"]
})(function* () {
  yield* requireTwoHosts
  const { profile, send } = yield* Session
  const ours = goodClient(profile)
  const admin = profile.secondTenant?.admin
  const theirs = admin !== undefined && "oauth" in admin ? admin.oauth : undefined
  if (ours === undefined && theirs === undefined) {
    return yield* notApplicable("TRN-10", "the profile has no OAuth client in either tenant")
  }
  if (ours !== undefined) {
    const { good } = yield* grantTo(yield* revealed(ours))
    yield* judgeNoGrant(good, ours, second)
  }
  if (theirs !== undefined) {
    // a token of this client; another grant might end it
    const good = yield* control(send({ method: "GET", path: "/workers?pageSize=1", ...there }))
    yield* judgeNoGrant(good, theirs, undefined)
  }
})

/** TRN: one host per tenant, and no access on another tenant's host. */
export const tenantWalks: ReadonlyArray<Walk> = [foreignTokens, foreignClients]
