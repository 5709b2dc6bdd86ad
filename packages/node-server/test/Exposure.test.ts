import { assert, describe, it } from "@effect/vitest"
import { exposureOf } from "@wcs/node-server/Exposure"

/** A process in a container: its user, its group, and `fsGroup`. */
const container = { uid: 1000, gids: [1000, 2000] }
const root = { uid: 0, gids: [0] }
const path = "/run/secrets/url"

const cases: ReadonlyArray<
  readonly [what: string, mode: number, uid: number, gid: number, self: typeof root, to: string | undefined]
> = [
  ["a Kubernetes secret with fsGroup", 0o440, 0, 2000, container, undefined],
  ["a file of the process", 0o400, 1000, 1000, container, undefined],
  ["a file of the process with its own group", 0o640, 1000, 1000, container, undefined],
  ["a directory of a volume with fsGroup", 0o42770, 0, 2000, container, undefined],
  ["a file of root that only root reads", 0o600, 0, 0, root, undefined],
  ["a file of another user, as root", 0o600, 1000, 1000, root, undefined],
  ["a file that everybody reads", 0o644, 0, 0, container, "other users of this machine"],
  ["a file that everybody reads, as root", 0o644, 0, 0, root, "other users of this machine"],
  ["a file that everybody but the group reads", 0o604, 0, 2000, container, "other users of this machine"],
  ["a file that everybody can write", 0o602, 0, 2000, container, "other users of this machine"],
  ["a file of a group that the process is not in", 0o440, 1000, 4000, container, "the group 4000"],
  ["a file that a foreign group can write", 0o620, 1000, 4000, container, "the group 4000"],
  ["a file of a group, as root outside of it", 0o440, 0, 2000, root, "the group 2000"],
  ["a file of another user with a group of the process", 0o640, 1234, 2000, container, "its owner, the user 1234"]
]

describe("threats 9 and 47: who else can read a secret file", () => {
  it.each(cases)("%s", (_, mode, uid, gid, self, to) => {
    assert.strictEqual(exposureOf(path, { mode, uid, gid }, "file", self)?.to, to)
  })

  it("threat 47: the owner of a directory can replace its files, also those of root", () => {
    const exposureTo = (self: typeof root, uid: number) =>
      exposureOf(path, { mode: 0o700, uid, gid: 0 }, "directory", self)
    assert.deepStrictEqual(exposureTo(root, 1234), { to: "its owner, the user 1234", remedy: `chown 0 ${path}` })
    assert.strictEqual(exposureTo(container, 1234)?.to, "its owner, the user 1234")
    assert.isUndefined(exposureTo(root, 0))
    assert.isUndefined(exposureTo(container, 0))
    assert.isUndefined(exposureTo(container, 1000))
  })

  it("says what to do", () => {
    const remedyOf = (mode: number, uid: number, gid: number) =>
      exposureOf(path, { mode, uid, gid }, "file", container)?.remedy
    assert.strictEqual(remedyOf(0o644, 1000, 2000), `chmod 600 ${path}`)
    assert.strictEqual(remedyOf(0o440, 0, 4000), `chown 1000 ${path} && chmod 600 ${path}`)
    assert.strictEqual(remedyOf(0o440, 1234, 2000), `chown 1000 ${path}`)
  })
})
