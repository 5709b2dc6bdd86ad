import { assert, describe, it } from "@effect/vitest"
import { accountUrn } from "@wcs/domain/access/Account"
import { keepsOwnWorker } from "@wcs/domain/user/UserRights"
import { Result } from "effect"

describe("R13, threat 59: the link of a user to a worker", () => {
  const rows: ReadonlyArray<readonly [by: string, before: string | null, after: string | null, succeeds: boolean]> = [
    ["acc_1", null, "wkr_1", true],
    ["acc_1", "wkr_1", "wkr_1", true],
    ["acc_1", "wkr_1", null, false],
    ["acc_1", "wkr_1", "wkr_2", false],
    ["acc_2", "wkr_1", null, true],
    ["acc_2", "wkr_1", "wkr_2", true]
  ]
  it.each(rows)("%s changes the link of acc_1 from %s to %s: %s", (by, before, after, succeeds) => {
    const outcome = keepsOwnWorker({ account: accountUrn(by) }, { id: "acc_1", workerId: before }, { workerId: after })
    assert.strictEqual(Result.isSuccess(outcome), succeeds)
  })
})
