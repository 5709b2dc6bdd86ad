import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, credential, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, get } from "../NewerSurface.ts"
import { ids, list, type Parameters, pathOf } from "./Listing.ts"

layer(layerService(), { excludeTestServices: true })("filters", (it) => {
  it.effect("WRK-05: the filters of workers: source.sourceSystem exactly, query by beginnings of words", () =>
    Effect.gen(function* () {
      const source = { sourceSystem: "filters" }
      const [ann, bob] = [
        yield* worker({ source, identity: { displayName: "Ann 100% Example", lastName: "O'Neil_x" } }),
        yield* worker({ source, identity: { displayName: "Bob", lastName: "ØRSTED" } })
      ]
      const rows: ReadonlyArray<readonly [Parameters, ReadonlyArray<string>]> = [
        [{ sourceSystem: "filters" }, [ann, bob]],
        [{ sourceSystem: "Filters" }, []],
        [{ sourceSystem: "filter" }, []],
        [{ sourceSystem: "" }, []],
        [{ query: "ann 100%" }, [ann]],
        [{ query: "ANN" }, [ann]],
        [{ query: "o'neil_x" }, [ann]],
        [{ query: "example ann" }, [ann]],
        [{ query: "orsted" }, [bob]],
        [{ query: "ørsted" }, [bob]],
        [{ query: "nn" }, []],
        [{ query: "ann zed" }, []],
        [{ query: "a_z" }, []],
        [{ query: "%" }, []],
        [{ query: "_" }, []],
        [{ query: "\0" }, []],
        [{ query: "" }, []],
        [{ query: "b", externalId: "x" }, []]
      ]
      for (const [parameters, expected] of rows) {
        const found = yield* ids("workers", { sourceSystem: "filters", ...parameters })
        assert.sameMembers(found, [...expected], JSON.stringify(parameters))
      }
    })
  )

  it.effect("ENV-11: the filters of applicants", () =>
    Effect.gen(function* () {
      const source = { sourceSystem: "filters" }
      const [ann, bob] = [
        yield* applicant({
          source: { ...source, externalId: "A" },
          emailAddress: "Ann@Example.org",
          displayName: "Ann"
        }),
        yield* applicant({ source, emailAddress: "bob@example.org", lastName: "Baker", status: "HIRED" })
      ]
      const rows: ReadonlyArray<readonly [Parameters, ReadonlyArray<string>]> = [
        [{}, [ann, bob]],
        [{ externalId: "A" }, [ann]],
        [{ externalId: "a" }, []],
        [{ emailAddress: "ann@example.org" }, [ann]],
        [{ emailAddress: "ANN@EXAMPLE.ORG" }, [ann]],
        [{ emailAddress: "ann@" }, []],
        [{ status: "HIRED" }, [bob]],
        [{ status: "NEW" }, [ann]],
        [{ status: "COMPLETED" }, []],
        [{ query: "bak" }, [bob]],
        [{ query: "BOB@" }, [bob]],
        [{ query: "aN" }, [ann]],
        [{ query: "@" }, []],
        [{ status: "HIRED", query: "ann" }, []]
      ]
      for (const [parameters, expected] of rows) {
        const found = yield* ids("applicants", { sourceSystem: "filters", ...parameters })
        assert.sameMembers(found, [...expected], JSON.stringify(parameters))
      }
      assertRefused(yield* get("/applicants?status=hired"), "INVALID_ARGUMENT", "status")
    })
  )

  it.effect("CRD-06: the filters of credentials, alone and combined", () =>
    Effect.gen(function* () {
      const [w, a] = [
        yield* worker({ source: { externalId: "owner" } }),
        yield* applicant({ source: { externalId: "owner" } })
      ]
      // The simulator delays its answer for identifiers that end in 43, and then has no result.
      const [vic, aid, police] = [
        yield* credential(
          { worker: w },
          { credentialType: "WWCC_VIC", identifier: "1234567A-43", expiryDate: "2999-01-01" }
        ),
        yield* credential({ worker: w, applicant: a }, { expiryDate: "2001-01-01" }),
        yield* credential(
          { applicant: a },
          { credentialType: "POLICE_CHECK_NATIONAL", identifier: "x43", jurisdiction: "TAS" }
        )
      ]
      const rows: ReadonlyArray<readonly [Parameters, ReadonlyArray<string>]> = [
        [{}, [vic, aid, police]],
        [{ ownerType: "worker", ownerId: w }, [vic, aid]],
        [{ ownerType: "applicant", ownerId: a }, [aid, police]],
        [{ credentialType: "WWCC_VIC" }, [vic]],
        [{ credentialType: "WWCC_NSW" }, []],
        [{ jurisdiction: "VIC" }, [vic]],
        [{ jurisdiction: "NATIONAL" }, [aid]],
        [{ jurisdiction: "TAS" }, [police]],
        [{ identifier: "1234567A-43" }, [vic]],
        [{ identifier: "1234567a-43" }, [vic]],
        [{ identifier: "1234567A" }, []],
        [{ identifier: "" }, []],
        [{ identifier: "x43", credentialType: "POLICE_CHECK_NATIONAL" }, [police]],
        [{ identifier: "x43", credentialType: "WWCC_VIC" }, []],
        [{ eligibility: "IN_PROGRESS" }, [vic, police]],
        [{ eligibility: "MAY_NOT_ENGAGE" }, [aid]],
        [{ eligibility: "MAY_ENGAGE" }, []],
        [{ expiringBefore: "2999-01-01" }, [aid]],
        [{ expiringBefore: "2999-01-02" }, [vic, aid]],
        [{ expiringBefore: "2001-01-01" }, []],
        [{ expiringFrom: "2999-01-01" }, [vic]],
        [{ expiringFrom: "2001-01-01", expiringBefore: "2999-01-01" }, [aid]],
        [{ expiringFrom: "2999-12-31" }, []],
        [{ ownerType: "worker", ownerId: w, eligibility: "IN_PROGRESS" }, [vic]],
        [{ ownerType: "applicant", ownerId: a, expiringBefore: "2999-12-31" }, [aid]]
      ]
      for (const [parameters, expected] of rows) {
        const found = yield* ids("credentials", { ownerExternalId: "owner", ...parameters })
        assert.sameMembers(found, [...expected], JSON.stringify(parameters))
      }
    })
  )

  it.effect("ENV-05: a filter with an impossible value is 400", () =>
    Effect.gen(function* () {
      const [w, a] = [yield* worker(), yield* applicant()]
      const refused: ReadonlyArray<readonly [Parameters, string]> = [
        [{ eligibility: "EXPIRED" }, "eligibility"],
        [{ expiringBefore: "2026-02-30" }, "expiringBefore"],
        [{ expiringFrom: "2026-02-30" }, "expiringFrom"],
        [{ ownerType: "worker", ownerId: a }, "ownerId"],
        [{ ownerType: "applicant", ownerId: w }, "ownerId"],
        [{ ownerType: "person", ownerId: w }, "ownerType"],
        [{ ownerType: "__proto__", ownerId: w }, "ownerType"],
        [{ ownerType: "worker", ownerId: "x" }, "ownerId"]
      ]
      for (const [parameters, field] of refused) {
        assertRefused(yield* get(pathOf("credentials", parameters)), "INVALID_ARGUMENT", field)
      }
      yield* list("credentials", { ownerType: "worker", ownerId: w })
    })
  )

  const hostile: ReadonlyArray<readonly [string, string]> = [
    ["a quote", "'"],
    ["a double quote", '"'],
    ["a condition", "' OR 1=1 --"],
    ["a statement", "; DROP TABLE worker;"],
    ["%", "%"],
    ["_", "_"],
    ["a backslash", "\\"],
    ["NUL", "\0"],
    ["a control character", "\u0001"],
    ["a letter with its accent", "zé"],
    ["a letter and an accent", "ze\u0301"],
    ["a character beyond 16 bits", "😀"],
    ["the replacement character", "\ufffd"],
    ["a text longer than any stored one", "a".repeat(5000)]
  ]
  const filtersOf: Readonly<Record<string, ReadonlyArray<string>>> = {
    workers: ["externalId", "sourceSystem", "query"],
    applicants: ["externalId", "sourceSystem", "query", "emailAddress"],
    credentials: ["ownerExternalId", "identifier", "query"],
    users: ["query"]
  }
  it.effect.each(hostile)("WRK-06, ENV-12: %s as a filter is text, and finds nobody", ([, text]) =>
    Effect.gen(function* () {
      yield* Effect.flatMap(worker({ source: { externalId: "x", sourceSystem: "x" } }), (id) =>
        credential({ worker: id })
      )
      for (const [collection, filters] of Object.entries(filtersOf)) {
        for (const name of filters) assert.deepStrictEqual(yield* ids(collection, { [name]: text }), [])
      }
    })
  )
})
