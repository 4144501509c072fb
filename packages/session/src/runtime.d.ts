// What a runtime must offer beyond ECMAScript and what the protocol asks for: Node and browsers share it.
declare function structuredClone<T>(value: T): T;
