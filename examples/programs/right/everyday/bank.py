"""Accounts, transfers and their failures. Input: one command a line."""

import sys
from abc import ABC, abstractmethod
from contextlib import contextmanager
from decimal import Decimal
from enum import Enum


class Kind(Enum):
    DEPOSIT = "+"
    WITHDRAWAL = "-"


class BankError(Exception):
    """Something that the bank refuses."""


class InsufficientFunds(BankError):
    def __init__(self, account, amount):
        super().__init__(f"{account.owner} has {account.balance}, not {amount}")


class Account(ABC):
    count = 0

    def __init__(self, owner, balance="0"):
        self.owner, self.balance, self.history = owner, Decimal(balance), []
        Account.count += 1

    @property
    @abstractmethod
    def floor(self):
        """The lowest balance that is allowed."""

    def deposit(self, amount):
        if amount <= 0:
            raise BankError(f"cannot move {amount}")
        self.balance += amount
        self.history.append((Kind.DEPOSIT, amount))

    def withdraw(self, amount):
        if self.balance - amount < self.floor:
            raise InsufficientFunds(self, amount)
        self.balance -= amount
        self.history.append((Kind.WITHDRAWAL, amount))

    def __lt__(self, other):
        return (self.balance, self.owner) < (other.balance, other.owner)

    def __repr__(self):
        return f"{type(self).__name__}({self.owner!r}, {self.balance:.2f})"


class Savings(Account):
    floor = Decimal(0)

    def interest(self, percent):
        self.deposit((self.balance * Decimal(percent) / 100).quantize(Decimal("0.01")))


class Checking(Account):
    def __init__(self, owner, balance="0", overdraft="100"):
        super().__init__(owner, balance)
        self.overdraft = Decimal(overdraft)

    @property
    def floor(self):
        return -self.overdraft


class Bank:
    def __init__(self):
        self.accounts = {}

    @contextmanager
    def all_or_nothing(self, *owners):
        accounts = [self.accounts[owner] for owner in owners]
        before = [(account.balance, len(account.history)) for account in accounts]
        try:
            yield
        except BankError:
            for account, (balance, moves) in zip(accounts, before):
                account.balance = balance
                del account.history[moves:]
            raise

    def open(self, kind, owner, balance):
        self.accounts[owner] = {"savings": Savings, "checking": Checking}[kind](owner, balance)

    def transfer(self, source, target, amount):
        with self.all_or_nothing(source, target):
            self.accounts[target].deposit(Decimal(amount))
            self.accounts[source].withdraw(Decimal(amount))

    def interest(self, percent):
        for account in self.accounts.values():
            if isinstance(account, Savings):
                account.interest(percent)


bank = Bank()
for number, line in enumerate(sys.stdin, start=1):
    command, *arguments = line.split()
    try:
        getattr(bank, command)(*arguments)
    except BankError as error:
        print(f"line {number}: refused: {error}")
    except (AttributeError, KeyError, TypeError) as error:
        print(f"line {number}: {type(error).__name__}")
    else:
        print(f"line {number}: done")
for account in sorted(bank.accounts.values(), reverse=True):
    moves = " ".join(f"{kind.value}{amount}" for kind, amount in account.history)
    print(account, moves)
print(Account.count, "accounts,", sum(a.balance for a in bank.accounts.values()), "in all")
