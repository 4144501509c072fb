// One store of IndexedDB, for the browser's own copies of things. Each step opens and closes the database, so that another tab can delete it.

/** A database has this one store. A second one needs a database of its own. */
export const inBrowserStore = async <T>(
  [database, store]: readonly [database: string, store: string],
  mode: IDBTransactionMode,
  step: (store: IDBObjectStore) => IDBRequest,
): Promise<T> => {
  const opening = indexedDB.open(database, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store);
  const open = await done(opening);
  try {
    return (await done(step(open.transaction(store, mode).objectStore(store)))) as T;
  } finally {
    open.close();
  }
};

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("IndexedDB failed."));
  });
