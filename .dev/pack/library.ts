/** Packs the client and the receiver: compiled modules with types, which need only Effect. */
import { join } from "node:path"
import { compile, copyWithImports } from "./compiled.ts"
import { describePackage, peersOf } from "./stage.ts"

/** Writes a library into an empty folder. A module `X.ts` is imported as `@wcs/<name>/X`. */
export const writeLibrary = async (name: "client" | "receiver", folder: string): Promise<void> => {
  const from = `packages/${name}`
  compile([from])
  await copyWithImports(from, join(folder, "dist"))
  const exported = (path: string) => ({ types: `./dist/${path}/*.d.ts`, default: `./dist/${path}/*.js` })
  await describePackage(folder, from, {
    // The types of the client name those of the contract and the domain, so these can be imported, too.
    exports: {
      "./*": exported(name),
      ...(name === "client" ? { "./api/*": exported("api"), "./domain/*": exported("domain") } : {})
    },
    peerDependencies: await peersOf(from, ["effect"])
  })
}
