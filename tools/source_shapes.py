# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads what tools/check_sources.py counts from C++ text: classes with their members and methods, and the names of types.

Not a compiler: it knows how this project writes declarations, without macros that open or close braces.
"""
import dataclasses
import re

# Comments, raw strings, strings, characters; a quote between digits is none.
TOKENS = re.compile(r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^()]*(?:\([^()]*\)[^()]*)*\)|\b__\w+__\b(?:\s*\(\(.*?\)\))?", re.DOTALL)
HEAD = re.compile(r"(?:^|[^\w<,])(?:enum\s+(?:class|struct)|class|struct|union|enum)\s+((?:\w+::)*)([A-Za-z_]\w*)\s*(?:final\s*)?(?::(?!:).*)?$",
                  re.DOTALL)
OPENS = re.compile(r"[{}();]")
# Statements in a class that declare neither a member nor a method.
NEITHER = re.compile(r"(?:using|typedef|friend|static_assert|enum|class|struct|union|template|concept|static|inline|constexpr)\b")


# What can change and belongs to no object: of a namespace, whose code is not indented, or static.
MUTABLE = re.compile(r"^(?P<indent> *)(?P<how>(?:(?:inline|constinit|thread_local|static) )*)"
                     r"(?!(?:const|constexpr|consteval|constinit|using|return|typedef|friend|template|struct|class|enum|union|namespace|delete|throw|"
                     r"case|goto|else|public|private|protected|static|inline|extern|thread_local)\b)"
                     r"(?P<type>[A-Za-z_][\w:<>,* &]*?[\w>*&]) +[*&]*(?P<name>[A-Za-z_]\w*)(?:\[\w*\])?(?:;| = |\{)", re.MULTILINE)


@dataclasses.dataclass
class Type:
    name: str
    kind: str  # class, struct, union or enum
    body: str
    scopes: tuple  # names of the types around it

    def statements(self):
        """The declarations of the body, without initialisers, bodies of functions and access specifiers."""
        text = re.sub(r"\b(?:public|private|protected)\s*:(?!:)", ";", self.body)
        flat = []
        depth = 0
        for character in text:
            if character == "{":
                flat.append("{}") if depth == 0 else None
                depth += 1
            elif character == "}":
                depth -= 1
            elif depth == 0:
                flat.append(character)
        for statement in "".join(flat).split(";"):
            # A function ends with its body, a type with the semicolon that follows.
            type_alone = re.match(r"\s*(?:enum|class|struct|union)\b[^()]*$", statement)
            for part in [statement] if type_alone else re.split(r"(?<=\{\})(?=\s*[\w~\[:])", statement):
                if part.strip():
                    yield " ".join(part.split())

    def count(self):
        """(data members, methods), without static members, constructors, destructors, and assignments.

        A table of functions of another library, which has no other members, counts as none: it is as long as what is used of that library.
        """
        members = methods = functions = 0
        for statement in self.statements():
            declaration = without_angles(re.sub(r"^template ?<", "<", statement)).strip()
            before = re.split(r"(?<![=!<>])=(?!=)", declaration)[0]
            if re.search(r"\boperator\b", declaration):
                methods += not re.search(r"\boperator\s*=[^=]|^friend\b", declaration)
            elif "(" in before and not re.search(r"\(\s*\*\s*\w*\s*\)", before):
                other = re.match(r"(?:friend|static_assert|using|typedef)\b", declaration)
                methods += not other and not re.search(rf"(?:^|[\s~]){self.name}\s*\(", before)
            elif re.match(r"(?:enum|class|struct|union)\b.*\{\} ?\w", declaration):
                members += 1
            elif not NEITHER.match(declaration) and re.search(r"[\w*&>\])]\s*[*&]*\s*\w", before):
                is_function = re.search(r"\(\s*\*\s*\w+\s*\)\s*\(", before)
                members += 1 if is_function else 1 + re.sub(r"\([^()]*\)", "", declaration).count(",")
                functions += bool(is_function)
        return (0 if functions == members else members), methods


def without_angles(text):
    """Without arguments of templates, so that what is in parentheses there is no function's."""
    text = re.sub(r"\(\s*\w+\s*(?:<<|>>)\s*\w+\s*\)", "0", text)
    text = re.sub(r"operator\s*(?:<=>|<<=?|>>=?|<=?|>=?|->\*?)", "operator", text)
    while True:
        shorter = re.sub(r"<[^<>]*>", " ", text.replace("->", "  "))
        if shorter == text:
            return text
        text = shorter


def stripped(text):
    """The code alone: comments, literals, directives and attributes become spaces or nothing."""
    text = TOKENS.sub(lambda found: '""' if found[0][0] in "\"'R" else " ", text)
    return ATTRIBUTE.sub(" ", DIRECTIVE.sub("", text))


def mutables(text):
    """Names of objects of namespaces, and of static ones, that can change. What is declared extern is counted where it is defined."""
    return [found["name"] for found in MUTABLE.finditer(stripped(text))
            if ("static" in found["how"] or not found["indent"]) and not found["type"].endswith("const") and "operator" not in found["type"]]


def types(text):
    """Each type that `text` defines, with its name, in the order of their heads."""
    text = stripped(text)
    found, stack = [], []
    start = 0  # of the statement that a brace would belong to
    parentheses = 0
    for match in OPENS.finditer(text):
        character, place = match[0], match.start()
        if character in "()":
            parentheses += 1 if character == "(" else -1
        elif character == ";":
            start = place + 1 if parentheses == 0 or stack and parentheses == stack[-1][2] else start
        elif character == "{":
            head = re.sub(r"<[^<>{}]*>", "<>", re.sub(r"<[^<>{}]*>", "<>", text[start:place]))
            named = HEAD.search(head) if "(" not in head.split(":")[0] else None
            made = None
            if named:
                kind = re.search(r"\b(enum|class|struct|union)\b(?=[^{]*$)", head[named.start():])[1]
                around = [item[0].name for item in stack if item[0]]
                made = Type(named[2], kind, "", (*around, *named[1].split("::")[:-1]))
                found.append(made)
            stack.append((made, place + 1, parentheses))
            start = place + 1
        elif stack:
            made, begin, parentheses = stack.pop()
            if made:
                made.body = text[begin:place]
            start = place + 1
    return found
