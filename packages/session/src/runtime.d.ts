// What a runtime must offer beyond ECMAScript and the needs of the protocol. Node and browsers have it.
declare function structuredClone<T>(value: T): T;
