import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"
import { transformSync } from "rolldown/utils"

const folder = new URL("./nestjs/", import.meta.url).href

/**
 * Compiles the NestJS peer when it is imported, because Node strips types but leaves decorators. The settings are those
 * of `tsconfig.json`.
 */
export const compileDecorators = (): void => {
  registerHooks({
    load: (url, context, nextLoad) => {
      if (!url.startsWith(folder)) return nextLoad(url, context)
      const path = fileURLToPath(url)
      const { code, errors } = transformSync(path, readFileSync(path, "utf8"), { tsconfig: true })
      if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"))
      return { format: "module", source: code, shortCircuit: true }
    }
  })
}
