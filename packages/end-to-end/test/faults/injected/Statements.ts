import { DatabaseSync, StatementSync } from "node:sqlite"

/** Runs around each SQL statement of a process and can replace it. */
export type Interceptor = (sql: string, database: DatabaseSync, run: () => unknown) => unknown

/** Installs an interceptor for all statements, for the lifetime of the process. */
export const intercept = (interceptor: Interceptor): void => {
  const prepared = new WeakMap<StatementSync, { readonly sql: string; readonly database: DatabaseSync }>()
  const { exec, prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (...given) {
    const statement = prepare.apply(this, given)
    prepared.set(statement, { sql: given[0], database: this })
    return statement
  }
  DatabaseSync.prototype.exec = function (sql) {
    interceptor(sql, this, () => exec.call(this, sql))
  }
  for (const method of ["run", "all"] as const) {
    const original: (this: StatementSync, ...given: Array<never>) => unknown = StatementSync.prototype[method]
    Object.defineProperty(StatementSync.prototype, method, {
      value(this: StatementSync, ...given: Array<never>) {
        const run = () => original.apply(this, given)
        const known = prepared.get(this)
        return known === undefined ? run() : interceptor(known.sql, known.database, run)
      }
    })
  }
}
