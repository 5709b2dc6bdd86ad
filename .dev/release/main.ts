/**
 * `npm run release -- [VERSION]`: writes the version to all places, begins its section of the change log, and prints the
 * changes since the last tag `v…`, for the person who writes the section. Without a version it only prints them.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Commit, changesIn, withSection } from "./changelog.ts"
import { root, versionsOf, writeVersion } from "./versions.ts"

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 }).trim()

const [asked] = process.argv.slice(2)
if (asked !== undefined) {
  if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(asked)) throw new Error(`${asked} is not a version such as 1.2.3`)
  writeVersion(asked)
}
const [[, version = ""] = []] = versionsOf()
const tags = git("tag", "--merged", "HEAD", "--sort=-creatordate", "--list", "v*").split("\n")
const last = tags.find((tag) => tag !== "" && tag !== `v${version}`)
const range = last === undefined ? "HEAD" : `${last}..HEAD`
const commits = git("log", "--no-merges", "--name-only", "--format=%x00%s", range)
  .split("\0")
  .map((text): Commit => {
    const [subject = "", ...paths] = text.split("\n")
    return { subject, paths }
  })
const file = join(root, "CHANGELOG.md")
const log = readFileSync(file, "utf8")
writeFileSync(file, withSection(log, version, git("log", "-1", "--format=%cs")))
console.log(`${changesIn(commits).join("\n")}

These are the changes since ${last ?? "the first commit"}. Next steps:
  write the section of ${version} in CHANGELOG.md, in at most ten sentences
  commit "release: ${version}"
  git tag v${version}
  npm run -s pack -- --out packages-${version}`)
