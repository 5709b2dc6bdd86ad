import { Effect } from "effect"
import { idOf, itemsOf, workerField } from "../../calls/Reading.ts"
import {
  anyOwner,
  bodyOf,
  create,
  groupOf,
  makeApplicant,
  makeCredential,
  makeWorker,
  read,
  sharedCredential,
  sharedOwner,
  sharedResource
} from "../../calls/Resources.ts"
import { breachOf, isLate, lagOfCredentials, lagOfWorkers, late, unlessBlind } from "../../calls/Settling.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, judge, judgePair, lackNeed, observe, unlessRefused } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { needs } from "../../profile/Need.ts"
import { equals } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { withValue } from "../../wire/JsonChange.ts"
import { makeWithoutWorker, takesBoth } from "../ownership/OwnedCredentials.ts"
import { holds, slotsIn } from "../ownership/Slots.ts"
import { observeLocation } from "./Location.ts"
import { nobodysId } from "./UnknownIds.ts"

/** `GET credentials?ownerExternalId=`. */
const credentialsOf = Effect.fnUntraced(function* (externalId: string) {
  const { send } = yield* Session
  return yield* send({ method: "GET", path: `/credentials?ownerExternalId=${encodeURIComponent(externalId)}` })
})

/** The create was refused, or made a credential with an id of the server's own. */
const notTheCallers = (made: Exchange, proposed: string): Expect.Met =>
  Expect.valueAt(made, "data.id") === proposed
    ? Expect.difference(made, "repeated", "body.data.id", "another id", proposed)
    : Expect.family(made, 2, 4)

const createOne = walk({
  name: "credentials/create",
  judges: ["CRD-01", "CRD-02", "CRD-03", "CRD-08", "SIL-29"],
  impact: "create",
  needs: ["credential body"]
})(function* () {
  const owner = yield* anyOwner("worker")
  const unique = yield* (yield* Session).unique
  const body = yield* bodyOf("credential", unique, { worker: owner.id })
  const first = yield* unlessRefused(yield* create("credential", unique, body))
  yield* judge(
    "CRD-01",
    [first],
    [...Expect.status(first, 201), ...Expect.header(first, "location", (value) => value !== "", "an address")]
  )
  yield* control(Effect.succeed(first))
  yield* judge("CRD-02", [first], Expect.type(first, "meta.correlationId", "non-empty string"))

  // the same body again: may be refused as a duplicate, but must not return the first credential
  const second = yield* create("credential", unique, body)
  const third = yield* sharedCredential
  const proposed = nobodysId(third.id)
  const name = yield* (yield* Session).unique
  const named =
    proposed === undefined
      ? []
      : [
          yield* create(
            "credential",
            name,
            withValue(yield* bodyOf("credential", name, { worker: owner.id }), "id", proposed)
          )
        ]
  const ids = [first, third.exchange, ...(isIn(second, 2) ? [second] : [])].map((made) =>
    Expect.valueAt(made, "data.id")
  )
  yield* judge(
    "CRD-08",
    [first, second],
    [...Expect.family(second, 2, 4), ...Expect.distinct(second, "body.data.id", ids)]
  )
  yield* judge(
    "CRD-03",
    [first, third.exchange],
    [first, third.exchange]
      .flatMap((made) => Expect.matches(made, "data.id", /^cred_\S+$/, "cred_ and more"))
      .concat(Expect.distinct(third.exchange, "body.data.id", [ids[0], third.id]))
      .concat(named.flatMap((made) => notTheCallers(made, proposed ?? "")))
  )
  const { evidence, observed } = yield* observeLocation(first)
  yield* observe("SIL-29", observed, evidence)
})

const ownersAt = "data.attributes.owners"

/** The applicant slot without an applicant: empty, or an applicant's id. */
const isOfItsKind = (shown: Exchange): Expect.Met => {
  const { applicant: holder } = slotsIn(shown)
  const isGood = holder === null || holder?.startsWith("app_") === true
  const where = `${ownersAt}.applicant`
  return isGood
    ? []
    : Expect.difference(shown, "wrong-value", `body.${where}`, "empty, or app_ and more", Expect.valueAt(shown, where))
}

const keyIn = (shown: Exchange, key: string): Expect.Met =>
  Expect.valueAt(shown, `${ownersAt}.${key}`) === undefined
    ? Expect.difference(shown, "missing", `body.${ownersAt}.${key}`, "present", null)
    : []

const showOwners = walk({
  name: "credentials/owners",
  judges: ["CRD-04", "CRD-05", "SIL-04"],
  impact: "create",
  needs: ["credential body"]
})(function* () {
  const { id, owner } = yield* sharedCredential
  const shown = yield* read("credential", id)
  yield* judge(
    "CRD-04",
    [shown],
    [
      ...Expect.status(shown, 200),
      ...Expect.value(shown, "data.id", id),
      ...Expect.type(shown, ownersAt, "object"),
      ...["worker", "applicant"].flatMap((key) => keyIn(shown, key))
    ]
  )
  yield* control(Effect.succeed(shown))
  yield* judge("CRD-05", [shown], [...Expect.value(shown, `${ownersAt}.worker`, owner.id), ...isOfItsKind(shown)])
  yield* observe("SIL-04", JSON.stringify(Expect.valueAt(shown, `${ownersAt}.applicant`)) ?? "left out", [shown])
  if (!(yield* takesBoth)) return

  const owners = { worker: owner.id, applicant: (yield* anyOwner("applicant")).id }
  const both = yield* read("credential", (yield* makeCredential(owners)).id)
  yield* judge("CRD-05", [both], holds(both, owners))
})

/** The list contains exactly these credentials. */
const lists = (list: Exchange, ids: ReadonlyArray<string>): Expect.Met => {
  const status = Expect.status(list, 200)
  if (status.length > 0) return status
  const shown = itemsOf(list.answer?.json).map((item) => idOf(item) ?? null)
  const isSame = equals(shown.toSorted(), ids.toSorted())
  return [
    ...Expect.type(list, "data", "list"),
    ...Expect.type(list, "meta", "object"),
    ...(isSame ? [] : Expect.difference(list, "wrong-value", "body.data", { "credentials with ids": ids }, shown))
  ]
}

/** The list contains none of these credentials. */
const showsNoneOf = (list: Exchange, ids: ReadonlyArray<string>): Expect.Met =>
  itemsOf(list.answer?.json)
    .map((item) => idOf(item) ?? "")
    .filter((id) => ids.includes(id))
    .flatMap((id) => Expect.difference(list, "unexpected", "body.data", "no credential of a similar name", id))

const ofOwner = walk({
  name: "credentials/of-owner",
  judges: ["CRD-06"],
  impact: "create",
  needs: ["credential body"]
})(function* () {
  // one cause, one verdict: WRK-05 judges a lag of both lists
  const lag = yield* lagOfCredentials
  if (isLate(lag) && !isLate(yield* lagOfWorkers)) {
    yield* judge("CRD-06", [lag.made.exchange, lag.first, lag.last], late(lag), breachOf(lag))
  }
  yield* unlessBlind
  const owner = yield* makeWorker()
  // a wrong list would show this one too
  const { owner: other } = yield* sharedCredential
  const none = yield* credentialsOf(owner.unique)
  const [one, two] = [yield* makeCredential({ worker: owner.id }), yield* makeCredential({ worker: owner.id })]
  const list = yield* credentialsOf(owner.unique)
  yield* judge("CRD-06", [none, list], [...lists(none, []), ...lists(list, [one.id, two.id])])
  // the list of an existing owner may have others' credentials
  if (!(yield* takesBoth) || (yield* groupOf("applicant"))?.create === undefined) return

  const second = yield* makeApplicant()
  const externalId = workerField(second.data, "source.externalId")
  // the specification does not say whether applicants have an external id
  if (typeof externalId !== "string" || externalId === "") return
  const both = yield* makeCredential({ worker: other.id, applicant: second.id })
  const bySecond = yield* credentialsOf(externalId)
  yield* judge("CRD-06", [bySecond], lists(bySecond, [both.id]))
  const name = externalId
  const near = [
    name.slice(0, -1),
    name.slice(1),
    `${name}x`,
    ` ${name}`,
    name.replace(/[^\w]/, "."),
    `${name.slice(0, -1)}%`
  ]
  const others = yield* Effect.forEach(
    [...new Set(near)].filter((one) => one !== name && one !== ""),
    credentialsOf
  )
  // a deployment may refuse these characters
  yield* judge(
    "CRD-06",
    others,
    others.flatMap((one) => (isIn(one, 4) ? [] : showsNoneOf(one, [both.id])))
  )
})

const ofNobody = walk({ name: "credentials/of-nobody", judges: ["CRD-07"], impact: "create", needs: [] })(function* () {
  const { profile, unique } = yield* Session
  const owner = yield* sharedOwner("worker")
  // so that a wrong list would contain something
  if (needs["credential body"].isMet(profile)) yield* makeCredential({ worker: owner.id })
  const found = yield* control(credentialsOf(owner.unique))
  // unused names: a new one, and a prefix and a part of the owner's
  const name = owner.unique
  const nobody = [yield* unique, name.slice(0, -1), name.slice(1), `${name}x`, name.replaceAll("-", ".")]
  const probes = yield* Effect.forEach(nobody, (one) => credentialsOf(one))
  // a deployment may refuse these characters
  const odd = yield* Effect.forEach([` ${name}`, `${name.slice(0, -1)}%`, `${name.slice(0, -1)}_`], (one) =>
    credentialsOf(one)
  )
  yield* judgePair("CRD-07", { control: found, probe: [...probes, ...odd] }, [
    ...probes.flatMap((probe) => lists(probe, [])),
    ...odd.flatMap((probe) => (isIn(probe, 4) ? [] : lists(probe, [])))
  ])
})

const applicantIds = walk({
  name: "credentials/applicant-id",
  judges: ["CRD-10"],
  impact: "create",
  needs: ["applicant"]
})(function* () {
  const words = "app_ and more"
  if ((yield* groupOf("applicant"))?.create !== undefined) {
    const { exchange } = yield* sharedResource("applicant", "part")
    return yield* judge("CRD-10", [exchange], Expect.matches(exchange, "data.id", /^app_\S+$/, words))
  }
  if ((yield* groupOf("credential"))?.create === undefined) {
    return yield* lackNeed("CRD-10", "credential body", "only a credential shows the id of an existing applicant")
  }
  const shown = yield* read("credential", (yield* makeWithoutWorker()).id)
  yield* judge("CRD-10", [shown], Expect.matches(shown, `${ownersAt}.applicant`, /^app_\S+$/, words))
})

/** Credentials, and applicants as their owners. */
export const credentialWalks: ReadonlyArray<Walk> = [createOne, showOwners, ofOwner, ofNobody, applicantIds]
