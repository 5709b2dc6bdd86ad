import { assert, describe, it } from "@effect/vitest"
import { holdersOf, nearest } from "@wcs/conformance/profile/LimitedPrincipals"
import type { Limited, Profile } from "@wcs/conformance/profile/Profile"
import { absentPoints, pointsOf } from "@wcs/conformance/walks/rows/Aims"
import * as By from "@wcs/conformance/walks/rows/Callers"
import { privileges } from "@wcs/conformance/walks/rows/Privileges"
import {
  asShown,
  type Callers,
  cellsOf,
  type Point,
  rulesBy,
  type Sweep,
  withId
} from "@wcs/conformance/walks/rows/Row"
import { strangers } from "@wcs/conformance/walks/rows/Strangers"
import * as W from "@wcs/conformance/walks/rows/Words"
import { exchangeOf } from "../Exchanges.ts"

const profileOf = (...privileges: ReadonlyArray<Limited["privileges"]>): Profile => ({
  name: "x",
  newer: { tenantBaseUrl: "https://one.example", plainHttpUrl: "http://one.example" },
  principals: { admin: { token: "${A}" }, limited: privileges.map((one) => ({ token: "${B}", privileges: one })) },
  groups: {
    worker: { update: [{ method: "PUT", path: "/workers/{{id}}", body: {} }] },
    credential: { create: { body: {} }, delete: { method: "POST", path: "/credentials/{{id}}/remove" } }
  }
})

const profile = profileOf({ worker: ["READ", "CREATE"] }, { worker: ["CREATE"] }, { webhook: ["UPDATE"] }, {})
const points = ["worker", "credential"].flatMap((entity) => pointsOf(profile, entity))
const workers: Point = { name: "GET /workers", method: "GET", entity: "worker", way: "list", takesBody: false }

/** The cells of a sweep that a rule judges, such as `PUT /workers/{id}, a list as body, limited.3`. */
const cellsBy = ({ rows }: Sweep, rule: string) =>
  cellsOf(rows, points, profile)
    .filter(({ rows: own }) => own.some((row) => row.rule === rule))
    .map(({ caller, form, point }) => [point.name, form.name, caller.name].filter((word) => word !== "").join(", "))

const namesOf = ({ at }: Callers, place = 0) => at(workers, profile, place).map(({ name }) => name)

describe("the cells of rows", () => {
  it("PRV-05: try each operation alone, also if another principal has more of them", () => {
    assert.include(cellsBy(privileges, "PRV-05"), "PUT /workers/{id}, limited.1")
    const names = nearest(holdersOf(profile), "worker", "UPDATE").map(({ name }) => name)
    assert.notInclude(names, "limited.1")
  })
  it("PRV-06: try a privilege on another entity type", () => {
    assert.include(cellsBy(privileges, "PRV-06"), "PUT /workers/{id}, limited.2")
  })
  it("PRV-16: try the actions of credentials without any privilege on them", () => {
    const actions = cellsBy(privileges, "PRV-16")
    assert.includeMembers(actions, ["POST /credentials/{id}/link, limited.3", "POST /credentials/transfer, limited.3"])
    assert.isFalse(actions.some((cell) => cell.startsWith("PUT")))
  })
  it("ENV-08: send a word for an id to each call of one resource", () => {
    const cells = cellsBy(strangers, "ENV-08")
    const words = ["PUT /workers/{id}", "GET /credentials/{id}", "POST /credentials/{id}/link"]
    assert.includeMembers(
      cells,
      words.map((name) => `${name}, a word for an id, turn any`)
    )
    assert.isFalse(cells.some((cell) => cell.startsWith("POST /workers")))
  })
  it("ENV-04: send every broken form to the calls of credentials, and one to the others", () => {
    const formsAt = (name: string) => cellsBy(strangers, "ENV-04").filter((cell) => cell.startsWith(`${name},`))
    assert.lengthOf(formsAt("POST /credentials"), W.brokenJson.length)
    assert.lengthOf(formsAt("POST /workers"), 1)
  })
  it("PRV-08: read an id without form where no resource is made", () => {
    const cells = cellsBy(privileges, "PRV-08")
    assert.isTrue(cells.some((cell) => cell.startsWith("GET /credentials, an id without form")))
    assert.isFalse(cells.some((cell) => cell.startsWith("GET /workers, an id without form")))
  })
  it("AUT-01: read a list as nobody, with and without a query", () => {
    const all = cellsBy(strangers, "AUT-01")
    for (const form of ["", ", pageSize=1", ", externalId=conf-nobody"]) {
      assert.include(all, `GET /workers${form}, nobody`)
    }
    assert.notInclude(all, "GET /credentials, externalId=conf-nobody, nobody")
  })
  it("send each call in each form by each caller once", () => {
    for (const { rows } of [privileges, strangers]) {
      const cells = cellsOf(rows, [...points, ...points], profile)
      const keys = cells.map(({ caller, form, point }) => [point.name, form.name, caller.name].join(" | "))
      assert.deepStrictEqual([...new Set(keys)], keys)
      assert.isTrue(cells.every(({ rows: own }) => new Set(own).size === own.length))
    }
  })
  it("are shared by all rules that ask for them", () => {
    const cell = cellsOf(privileges.rows, points, profile).find(
      ({ caller, form, point }) => point.name === "PUT /workers/{id}" && form === asShown && caller.name === "limited.2"
    )
    assert.deepStrictEqual(new Set(cell?.rows.map(({ rule }) => rule)), new Set(["PRV-06"]))
    const read = cellsOf(privileges.rows, points, profile).find(
      ({ caller, point }) => point.name === "GET /workers" && caller.name === "limited.1"
    )
    assert.deepStrictEqual(new Set(read?.rows.map(({ rule }) => rule)), new Set(["PRV-01", "PRV-05"]))
  })
})

describe("the callers of rows", () => {
  it("take turns from call to call, so that each is tried somewhere", () => {
    const schemes = namesOf(By.otherScheme)
    assert.lengthOf(schemes, 3)
    assert.deepStrictEqual(
      [0, 1, 2, 3].flatMap((place) => namesOf(By.inTurn(1, By.otherScheme), place)),
      [...schemes, ...schemes.slice(0, 1)]
    )
    const two = [0, 1, 2, 3].flatMap((place) => namesOf(By.inTurn(2, By.forged), place))
    assert.sameMembers([...new Set(two)], namesOf(By.forged))
    assert.deepStrictEqual(namesOf(By.inTurn(5, By.otherScheme)), schemes)
  })
  it("AUT-01: put a token into a query only if it expires soon", () => {
    assert.deepStrictEqual(namesOf(By.inTheQuery), [])
    const oauth: Profile = {
      ...profile,
      principals: { admin: { oauth: { clientId: "x", clientSecret: "${C}" } } }
    }
    const [caller] = By.inTheQuery.at(workers, oauth, 0)
    const call = { method: "GET", path: "/workers?pageSize=1" }
    assert.deepStrictEqual(caller?.sent?.("a b", call), { as: null, path: "/workers?pageSize=1&access_token=a%20b" })
  })
  it("AUT-04: send a forgery of the token for every number", () => {
    const sent = By.forged
      .at(workers, profile, 0)
      .map(({ made, sent }) => sent?.(made?.("opaque-token") ?? "", { method: "GET", path: "" }))
    const headers = sent.map((change) => JSON.stringify(change?.as))
    assert.lengthOf(headers, 7)
    for (const told of headers) {
      assert.match(told, /"Bearer [^ "]+"/)
      assert.notInclude(told, '"Bearer opaque-token"')
    }
  })
  it("TRN-02: repeat a call by plain HTTP with a token only after a 401", () => {
    const [caller] = By.byPlainHttp.at(workers, profile, 0)
    assert.isNull(caller?.as)
    assert.deepStrictEqual(caller?.otherwise?.after, [401])
    assert.deepStrictEqual(caller?.otherwise?.caller.sent?.("t", { method: "GET", path: "" }), {
      as: "admin",
      to: "plain"
    })
  })
  it("PRV-11: use the second token, and need none", () => {
    assert.deepStrictEqual(namesOf(By.reissued), [])
    assert.isUndefined(By.reissued.lacks)
    const again: Profile = {
      ...profile,
      principals: { ...profile.principals, limited: [{ token: "${B}", reissued: "${C}", privileges: {} }] }
    }
    assert.deepStrictEqual(
      By.reissued.at(workers, again, 0).map(({ as }) => as),
      ["limited.0.reissued"]
    )
  })
})

describe("the words of rows", () => {
  const names = { id: "cred_1/2", nobody: "cred_3/4", unique: "conf-1-1x" }
  it("PRV-08: put an unused id into a path, and never a part of another segment", () => {
    const call = { method: "PATCH", path: "/credentials/cred_1%2F2?x=1" }
    assert.deepStrictEqual(W.ofNobody.of(call, names), { path: "/credentials/cred_3%2F4?x=1" })
    assert.isUndefined(W.ofNobody.of(call, { ...names, nobody: undefined }))
    assert.strictEqual(withId("/v1/1/links", "1", "{id}"), "/v1/{id}/links")
  })
  it("add to the query of a list", () => {
    assert.deepStrictEqual(W.onePage.of({ method: "GET", path: "/credentials?ownerExternalId=x" }, names), {
      path: "/credentials?ownerExternalId=x&pageSize=1"
    })
  })
  it("PRV-03, PRV-04: know the methods that a group lacks, as far as the profile tells", () => {
    const told = (entity: string) => absentPoints(profile, entity).map(({ name, way }) => `${name} ${way}`)
    assert.deepStrictEqual(told("worker"), ["PATCH /workers/{id} absent"])
    assert.deepStrictEqual(told("credential"), ["DELETE /credentials/{id} no delete"])
    assert.deepStrictEqual(told("webhook"), [])
  })
  it("PRV-05: blame no deployment for a webhook's body that subscribes to other entity types", () => {
    const reasonAt = (entity: string, status: number, given: Profile = profile) =>
      W.accepted.unless?.([exchangeOf({ answer: { status } })], { ...workers, entity }, given)
    assert.match(reasonAt("webhook", 403) ?? "", /move these events to subscribedWebhook\.body$/)
    assert.isUndefined(reasonAt("webhook", 403, { ...profile, subscribedWebhook: { body: {} } }))
    assert.isUndefined(reasonAt("webhook", 201))
    assert.isUndefined(reasonAt("worker", 403))
  })
  it("declare every rule that the cells of a walk judge", () => {
    for (const sweep of [privileges, strangers]) {
      for (const { calls, judges } of sweep.walks) assert.includeMembers([...rulesBy(sweep, calls)], [...judges])
      for (const types of ["documented", "others"] as const) {
        const ways = sweep.walks.filter(({ of = types }) => of === types).flatMap(({ calls }) => calls)
        assert.strictEqual(new Set(ways).size, ways.length)
      }
    }
    assert.notInclude(rulesBy(privileges, ["list"]), "PRV-09")
  })
})
