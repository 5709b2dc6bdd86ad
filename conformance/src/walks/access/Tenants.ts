import { Effect } from "effect"
import { bulkTransfer, link, readSlots, transfer, worker } from "../../calls/OwnershipCalls.ts"
import { idOf, itemsOf } from "../../calls/Reading.ts"
import {
  anyOwner,
  bodyOf,
  create,
  groupOf,
  made,
  makeCredential,
  makeWorker,
  pathOf,
  type Resource,
  read
} from "../../calls/Resources.ts"
import { whereOf } from "../../engine/CleanUp.ts"
import * as Expect from "../../engine/Expect.ts"
import { block, type Control, control, judgeNoAccess, judgePair, notApplicable } from "../../engine/Judge.ts"
import { foundNothing, lookUp, makeNowhere, seen } from "../../engine/Lookup.ts"
import { type Made, type PrincipalName, Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { bareForm, basicHeaders, clientForm } from "../../profile/ClientForms.ts"
import { askGrant, goodClient, grantsNothing, grantTo, revealed } from "../../profile/Grants.ts"
import type { Client } from "../../profile/Profile.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { at } from "../../wire/Json.ts"
import { originOf } from "../../wire/Sending.ts"

/** A tenant's host, as calls and created resources name it. */
type Host = Made["to"]

const second = "second tenant"

/** The second tenant's admin on that tenant's host. */
const there = { as: "secondTenant.admin", to: second } as const

/** Blocks the walk if both tenants have the same host in the profile: no call would be foreign. */
export const requireTwoHosts = Effect.gen(function* () {
  const { profile } = yield* Session
  const [here, elsewhere] = [originOf(profile, {}), originOf(profile, { to: second })]
  if (here === elsewhere) return yield* block("secondTenant.tenantBaseUrl is the tenant's own host")
})

/** Resources of one tenant, requested on the other tenant's host by an admin of that tenant. */
const tenants = walk({
  name: "transport/tenants",
  judges: ["TRN-05"],
  impact: "mutate-own",
  needs: ["second tenant", "credential body"]
})(function* () {
  yield* requireTwoHosts
  const { send } = yield* Session
  const [owner, next] = [yield* makeWorker(), yield* anyOwner("worker")]
  const credential = yield* makeCredential({ worker: owner.id })
  const here = yield* control(read("credential", credential.id))
  const linkHere = yield* control(link(credential.id, worker(owner.id)))
  const listOf = (name: string) =>
    send({ method: "GET", path: `/credentials?ownerExternalId=${encodeURIComponent(name)}`, ...there })
  const open = yield* control(listOf("conf-nobody"))
  const path = `${yield* pathOf("credential")}/${encodeURIComponent(credential.id)}`
  const [from, to] = [worker(owner.id), worker(next.id)]
  const reading = yield* send({ method: "GET", path, ...there })
  const one = [reading, yield* link(credential.id, from, there), yield* transfer(credential.id, from, to, there)]
  // a list or a batch may succeed if it contains no data of the other tenant
  const lists = [yield* lookUp(owner.unique, there), yield* listOf(owner.unique)]
  const many = [...lists, yield* bulkTransfer({ from, to, credentialIds: [credential.id] }, there)]
  const shown = [reading, ...lists].filter(({ answer }) => answer?.text.includes(owner.id))
  const after = yield* readSlots(credential.id)
  yield* judgePair(
    "TRN-05",
    { control: here, probe: [...one, ...many], after: [linkHere.exchange, open.exchange, after.exchange] },
    [
      ...one.flatMap(Expect.rejected),
      ...many.flatMap((probe) => Expect.family(probe, 2, 4)),
      ...shown.flatMap((probe) =>
        Expect.difference(probe, "disclosed", "body", "no data of the other tenant", owner.id)
      ),
      ...Expect.same(after.exchange, "body.data.attributes.owners.worker", owner.id, after.slots.worker ?? null)
    ]
  )
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
  const here = yield* control(send(call))
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

/** No 2xx body has an item, a resource with an id, or one of these texts. */
const withoutData = (exchange: Exchange, texts: ReadonlyArray<string> = []): Expect.Met => {
  const { json, text = "" } = exchange.answer ?? {}
  const isData =
    itemsOf(json).length > 0 || idOf(at(json, "data")) !== undefined || texts.some((one) => text.includes(one))
  return isIn(exchange, 2) && isData
    ? Expect.difference(exchange, "status", "status", "no 2xx with data", statusOf(exchange))
    : []
}

/** Visible resources of one tenant: a worker, and a credential if the profile has a body for it. */
interface Estate {
  readonly worker: Resource
  readonly credential: Resource | undefined
}

const makeEstate = Effect.fnUntraced(function* (to: Host) {
  const where = to === undefined ? {} : there
  const owner = yield* makeWorker(where)
  if ((yield* groupOf("credential"))?.create === undefined) return { worker: owner, credential: undefined }
  const name = yield* (yield* Session).unique
  const body = yield* bodyOf("credential", name, { worker: owner.id })
  const credential = yield* made(name, yield* create("credential", name, body, where))
  return { worker: owner, credential } satisfies Estate
})

/** A principal on the other tenant's host: reads the data of both tenants and tries a change. */
const judgeForeign = Effect.fnUntraced(function* (as: PrincipalName, to: Host, foreign: Estate, home: Estate) {
  const { send, unique } = yield* Session
  const more = { as, to }
  const atHome = as === "secondTenant.admin" ? second : undefined
  const good = yield* seen(home.worker.unique, { as, to: atHome })
  // the host's own admin sees the data that the principal must not see
  const open = yield* seen(foreign.worker.unique, whereOf({ to }))
  const probes: Array<Exchange> = []
  for (const { credential, worker: owner } of [foreign, home]) {
    probes.push(yield* lookUp(owner.unique, more))
    if (credential === undefined) continue
    const path = yield* pathOf("credential")
    const paths = [`${path}/${encodeURIComponent(credential.id)}`, `${path}?ownerExternalId=${owner.unique}`]
    probes.push(...(yield* Effect.forEach(paths, (one) => send({ method: "GET", path: one, ...more }))))
    probes.push(yield* link(credential.id, worker(owner.id), more))
  }
  const name = yield* unique
  const { after, probe } = yield* makeNowhere(name, { ...more, json: yield* bodyOf("worker", name) })
  const ids = [foreign.worker.id, home.worker.id]
  yield* judgeNoAccess("TRN-10", { control: good, probe: [...probes, probe], after: [open.exchange, ...after] }, [
    ...probes.flatMap((one) => withoutData(one, ids)),
    ...withoutData(probe, [name]),
    ...after.flatMap(foundNothing)
  ])
})

const foreignAccess = walk({
  name: "transport/foreign-access",
  judges: ["TRN-10"],
  impact: "mutate-own",
  needs: ["second tenant"]
})(function* () {
  yield* requireTwoHosts
  const [ours, theirs] = [yield* makeEstate(undefined), yield* makeEstate(second)]
  // another walk makes every call as the others
  yield* judgeForeign("admin", second, theirs, ours)
  yield* judgeForeign("secondTenant.admin", undefined, ours, theirs)
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
export const tenantWalks: ReadonlyArray<Walk> = [tenants, foreignTokens, foreignAccess, foreignClients]
