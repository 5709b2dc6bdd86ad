import { choiceOf, mappingOf, obstacleOf } from "@wcs/console/imports/Steps"
import { assert, describe, it } from "vitest"

const column = (name: string) => ({ name, samples: [], proposal: null })

describe("the columns of an import", () => {
  it("keep the mapping of the import, without those that are ignored", () => {
    const mapping = [{ column: "Name", field: "identity.displayName" }] as const
    const choice = choiceOf({ columns: [column("Name"), column("Team")], mapping })
    assert.deepStrictEqual(choice, { Name: "identity.displayName", Team: "" })
    assert.deepStrictEqual(mappingOf(choice), mapping)
  })

  it("cannot fill a field twice, or leave out who the people are", () => {
    assert.isUndefined(obstacleOf({ Name: "identity.lastName", Team: "", Group: "" }, null))
    assert.isUndefined(obstacleOf({ No: "source.externalId", Born: "identity.birthDate" }, "DMY"))
    assert.include(obstacleOf({ Name: "identity.lastName", Born: "identity.lastName" }, "DMY"), "“Last name”")
    assert.include(obstacleOf({ Born: "identity.birthDate" }, "DMY"), "names of the people")
    assert.include(obstacleOf({ No: "source.externalId", Born: "identity.birthDate" }, null), "dates look like")
  })
})
