/**
 * `npm run release -- [VERSION]`: writes the version to all places, and the section of the change log from the commits
 * since the last tag `v…`. Without a version it writes the section of the present version anew.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Commit, sectionOf, withSection } from "./changelog.ts"
import { root, versionsOf, writeVersion } from "./versions.ts"

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 }).trim()

const [asked] = process.argv.slice(2)
if (asked !== undefined) {
  if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(asked)) throw new Error(`${asked} is not a version such as 1.2.3`)
  writeVersion(asked)
}
const [[, version = ""] = []] = versionsOf()
// of an earlier version, so that the section of a released version can be written anew
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
const before = existsSync(file) ? readFileSync(file, "utf8") : ""
writeFileSync(file, withSection(before, sectionOf(version, git("log", "-1", "--format=%cs"), commits)))
console.log(`CHANGELOG.md has the changes of ${version} since ${last ?? "the first commit"}. Next steps:
  commit "release: ${version}"
  git tag v${version}
  npm run -s pack -- --out packages-${version}`)
