import { isBuiltin } from "node:module"
import type { Plugin } from "esbuild"

/**
 * Imports Node's modules as objects. An ES module import reads all their exports, and some load much code: that of
 * `node:http` loads Node's own undici. Bundled CommonJS modules can require them this way, too.
 */
export const builtins: Plugin = {
  name: "builtins",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^[\w:/]+$/ }, ({ path }) => (isBuiltin(path) ? { path, namespace: "builtin" } : undefined))
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`
    }))
  }
}
