import { assert, describe, it } from "@effect/vitest"
import { readPathsOf } from "@wcs/conformance/calls/ReadPaths"
import { differenceInShape } from "@wcs/conformance/judgement/Shape"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { parse } from "@wcs/conformance/text/Json"
import { formOf } from "@wcs/conformance/wire/FormEncoding"
import * as fc from "fast-check"

describe("the shape of two responses (AUT-10)", () => {
  const one = {
    data: { id: "wkr_1", identity: { displayName: "A" }, tags: ["x"], end: null },
    meta: { requestId: "r" }
  }

  it("is equal when only values, order, length and empty values differ", () => {
    const other = {
      meta: { requestId: "s" },
      data: { end: "2030-01-01", tags: [], identity: { displayName: "B" }, id: "x" }
    }
    assert.isUndefined(differenceInShape(one, other))
    assert.isUndefined(differenceInShape(undefined, undefined))
  })

  it("differs when a name, a type, an item or a body differs", () => {
    assert.strictEqual(differenceInShape(one, { ...one, extra: 1 }), "extra")
    assert.strictEqual(differenceInShape({ ...one, extra: null }, one), "extra")
    assert.strictEqual(differenceInShape(one, { ...one, meta: { requestId: 7 } }), "meta.requestId")
    assert.strictEqual(differenceInShape(one, { ...one, data: [] }), "data")
    assert.strictEqual(differenceInShape({ data: [{ id: "a" }] }, { data: [{ name: "a" }] }), "data.0.id")
    assert.strictEqual(differenceInShape(one, undefined), "")
  })

  it("equals itself for any JSON", () => {
    fc.assert(fc.property(fc.json(), (text) => assert.isUndefined(differenceInShape(parse(text), parse(text)))))
  })
})

describe("a JSON body as a form (TRN-08)", () => {
  const body = { identity: { displayName: "A" }, tags: ["x", "y"], count: 2, none: null }

  it("writes nested names in both styles", () => {
    assert.deepStrictEqual(formOf(body, "brackets"), {
      "identity[displayName]": "A",
      "tags[0]": "x",
      "tags[1]": "y",
      count: "2",
      none: ""
    })
    assert.deepStrictEqual(Object.keys(formOf(body, "dots")), [
      "identity.displayName",
      "tags.0",
      "tags.1",
      "count",
      "none"
    ])
  })
})

describe("the groups that can be read (AUT-01)", () => {
  const profile: Profile = {
    name: "x",
    newer: { tenantBaseUrl: "https://a.example" },
    principals: { admin: { token: "${TOKEN}" } }
  }
  const paths = (more: Partial<Profile>) =>
    Object.fromEntries(readPathsOf({ ...profile, ...more }).map(({ call, entity }) => [entity, call.path]))

  it("are those of §4.2, with additions and other paths of the profile", () => {
    assert.deepStrictEqual(Object.keys(paths({})), [
      ...["worker", "credential", "credentialCheck", "captureRequest", "exemption", "webhook", "ban"]
    ])
    const told = paths({
      groups: { applicant: { path: "/people" } },
      readPaths: { ban: "/bans/all", webhook: "/w/{{id}}" }
    })
    assert.strictEqual(told["applicant"], "/people")
    assert.strictEqual(told["ban"], "/bans/all")
    assert.isUndefined(told["webhook"])
  })
})
